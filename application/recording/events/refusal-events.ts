import { type ApplicationTokenRefusal, SERVICE, type SignInRefusal } from '../../../domain/event.ts'
import { PASSWORD_CHANGE_CODES } from '../../../domain/password-change.ts'
import { RECOVERY_CODES } from '../../../domain/recovery.ts'
import { about, defineRefusal, theApplication, theUser } from './definition.ts'

/** Refused requests. They change no row. */
export const REFUSAL_EVENTS = {
  ApplicationTokenRefused: defineRefusal<
    'ApplicationTokenRefused',
    { applicationId: string | undefined; reason: ApplicationTokenRefusal }
  >({
    version: 1,
    event: ({ applicationId, reason }) =>
      about(applicationId === undefined ? SERVICE : theApplication(applicationId), { reason }),
    reason: ({ reason }) => reason,
    subjectId: ({ applicationId }) => applicationId,
  }),

  SignInRefused: defineRefusal<'SignInRefused', { userId: string | undefined; reason: SignInRefusal }>({
    version: 1,
    event: ({ userId, reason }) => about(userId === undefined ? SERVICE : theUser(userId), { reason }),
    reason: ({ reason }) => reason,
    subjectId: ({ userId }) => userId,
  }),

  /** `codes` are those of the response; none when there were too many failures. */
  PasswordChangeRefused: defineRefusal<
    'PasswordChangeRefused',
    { userId: string; codes: ReadonlyArray<number> }
  >({
    version: 1,
    event: ({ userId, codes }) => about(theUser(userId), { codes }),
    reason: ({ codes }) => {
      if (codes.length === 0) return 'too_many_failures'
      return codes.includes(PASSWORD_CHANGE_CODES.OldPasswordWrong) ? 'wrong_password' : 'invalid_fields'
    },
    subjectId: ({ userId }) => userId,
  }),

  /** `codes` are those of the response; none when there were too many recoveries. The user is known if the token is. */
  RecoveryRefused: defineRefusal<
    'RecoveryRefused',
    { userId: string | undefined; codes: ReadonlyArray<number> }
  >({
    version: 1,
    event: ({ userId, codes }) => about(userId === undefined ? SERVICE : theUser(userId), { codes }),
    reason: ({ codes }) => {
      if (codes.length === 0) return 'too_many_failures'
      return codes.includes(RECOVERY_CODES.TokenInvalid) ? 'invalid_token' : 'invalid_fields'
    },
    subjectId: ({ userId }) => userId,
  }),
}

import { EMAIL_CONFIRMATION_START_CODES } from '../../../domain/email-confirmation.ts'
import { SERVICE } from '../../../domain/event.ts'
import { PASSWORD_CHANGE_CODES } from '../../../domain/password-change.ts'
import { RECOVERY_CODES } from '../../../domain/recovery.ts'
import type {
  ApplicationTokenRefusal,
  IdentityRefusalReason,
  NewEmailRefusal,
  SecondFactorRefusal,
  SignInRefusal,
} from '../../../domain/refusal-reasons.ts'
import { REGISTRATION_CODES } from '../../../domain/registration.ts'
import { defineRefusal, logged, theApplication, theUser } from './definition.ts'

/** Refused requests. They change no row. */
export const REFUSAL_EVENTS = {
  ApplicationTokenRefused: defineRefusal<
    'ApplicationTokenRefused',
    { applicationId: string | undefined; reason: ApplicationTokenRefusal }
  >({
    version: 1,
    event: ({ applicationId, reason }) =>
      logged(applicationId === undefined ? SERVICE : theApplication(applicationId), { reason }),
    reason: ({ reason }) => reason,
    subjectId: ({ applicationId }) => applicationId,
  }),

  SignInRefused: defineRefusal<'SignInRefused', { userId: string | undefined; reason: SignInRefusal }>({
    version: 1,
    event: ({ userId, reason }) => logged(userId === undefined ? SERVICE : theUser(userId), { reason }),
    reason: ({ reason }) => reason,
    subjectId: ({ userId }) => userId,
  }),

  /** The user is known if the token is. */
  SecondFactorRefused: defineRefusal<
    'SecondFactorRefused',
    { userId: string | undefined; reason: SecondFactorRefusal }
  >({
    version: 1,
    event: ({ userId, reason }) => logged(userId === undefined ? SERVICE : theUser(userId), { reason }),
    reason: ({ reason }) => reason,
    subjectId: ({ userId }) => userId,
  }),

  /** `provider` is its name; none if the request names no transaction of one. */
  IdentityRefused: defineRefusal<
    'IdentityRefused',
    { userId: string | undefined; provider: string | undefined; reason: IdentityRefusalReason }
  >({
    version: 1,
    event: ({ userId, provider, reason }) =>
      logged(userId === undefined ? SERVICE : theUser(userId), {
        ...(provider === undefined ? {} : { provider }),
        reason,
      }),
    reason: ({ reason }) => reason,
    subjectId: ({ userId }) => userId,
  }),

  /** `codes` are those of the response; none when there were too many failures. */
  PasswordChangeRefused: defineRefusal<
    'PasswordChangeRefused',
    { userId: string; codes: ReadonlyArray<number> }
  >({
    version: 1,
    event: ({ userId, codes }) => logged(theUser(userId), { codes }),
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
    event: ({ userId, codes }) => logged(userId === undefined ? SERVICE : theUser(userId), { codes }),
    reason: ({ codes }) => {
      if (codes.length === 0) return 'too_many_failures'
      return codes.includes(RECOVERY_CODES.TokenInvalid) ? 'invalid_token' : 'invalid_fields'
    },
    subjectId: ({ userId }) => userId,
  }),

  /** `codes` are those of the response; none when there were too many registrations. */
  RegistrationRefused: defineRefusal<
    'RegistrationRefused',
    { applicationId: string; codes: ReadonlyArray<number> }
  >({
    version: 1,
    event: ({ applicationId, codes }) => logged(theApplication(applicationId), { codes }),
    reason: ({ codes }) => newEmailRefusal(codes, REGISTRATION_CODES.EmailTaken),
    subjectId: ({ applicationId }) => applicationId,
  }),

  /**
   * `codes` are those of the response, without that of a wrong password, which is a `SignInRefused`; none when there were too many
   * confirmations.
   */
  EmailConfirmationRefused: defineRefusal<
    'EmailConfirmationRefused',
    { userId: string | undefined; codes: ReadonlyArray<number> }
  >({
    version: 1,
    event: ({ userId, codes }) => logged(userId === undefined ? SERVICE : theUser(userId), { codes }),
    reason: ({ codes }) => newEmailRefusal(codes, EMAIL_CONFIRMATION_START_CODES.EmailTaken),
    subjectId: ({ userId }) => userId,
  }),
}

const newEmailRefusal = (codes: ReadonlyArray<number>, taken: number): NewEmailRefusal => {
  if (codes.length === 0) return 'too_many_failures'
  return codes.includes(taken) ? 'email_taken' : 'invalid_fields'
}

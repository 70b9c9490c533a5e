import type { RefusalReason } from '../../domain/event.ts'
import { PASSWORD_CHANGE_CODES } from '../../domain/password-change.ts'
import type { RefusalFact } from './facts.ts'

/** Why something was refused, in one word. */
export const reasonOf = (refusal: RefusalFact): RefusalReason => {
  switch (refusal._tag) {
    case 'ApplicationTokenRefused':
    case 'SignInRefused':
      return refusal.reason
    case 'PasswordChangeRefused':
      if (refusal.codes.length === 0) return 'too_many_failures'
      return refusal.codes.includes(PASSWORD_CHANGE_CODES.OldPasswordWrong)
        ? 'wrong_password'
        : 'invalid_fields'
    default:
      return refusal satisfies never // so that the compiler names the type that is not told apart yet
  }
}

/** The id of the application or user that it is about, if that is known. */
export const subjectIdOf = (refusal: RefusalFact): string | undefined => {
  switch (refusal._tag) {
    case 'ApplicationTokenRefused':
      return refusal.applicationId
    case 'SignInRefused':
    case 'PasswordChangeRefused':
      return refusal.userId
    default:
      return refusal satisfies never
  }
}

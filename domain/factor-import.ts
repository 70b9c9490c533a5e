import { isAbsent } from './field.ts'

/**
 * Whether a user to import has no verified e-mail. Its factors would outlast the owner of the mailbox, as at an enrolment. Malformed
 * values have a problem of their own.
 */
export const lacksVerifiedEmail = (emailVerified: unknown): boolean =>
  isAbsent(emailVerified) || emailVerified === false

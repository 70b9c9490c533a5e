import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordCheckUnavailable } from './failures.ts'

/**
 * A rule of your own for new passwords, beside the password policy. It holds for registrations, password changes and commands.
 *
 * The testkit has no contract for this port: what a rule refuses is its own decision.
 */
export interface PasswordRule {
  /**
   * Why the rule refuses a password: the end of a sentence that begins with the name of a field, for example "contains the name of
   * our shop." `/openapi.json` shows it to everyone.
   */
  readonly refusal: string

  /**
   * Whether the rule refuses a new password. The service asks only about passwords that the policy and the rules before this one
   * accept. It may ask concurrently. It has no time limit.
   *
   * It does not throw or reject. If it does, it counts as unavailable, and the error is lost: its text could hold the password.
   *
   * @param user `email` is as sent: at a registration, it may be missing or malformed
   */
  refuses(password: string, user: Readonly<{ email: Field }>): TaskEither<PasswordCheckUnavailable, boolean>
}

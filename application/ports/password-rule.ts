import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordCheckUnavailable } from './failures.ts'

/**
 * A rule for new passwords, beside the password policy. `application/passwords/password-rules.ts` makes it of a rule that a program
 * provides, which may answer more simply.
 *
 * The testkit has no contract for this port: what a rule refuses is its own decision.
 */
export interface PasswordRule {
  /** Unique among the rules. `GET /api/v1/password_policy` shows it to everyone. */
  readonly name: string

  /** The end of a sentence that begins with the name of a field. `/openapi.json` shows it to everyone. */
  readonly refusal: string

  /**
   * Whether the rule refuses a new password. If it throws or rejects, it counts as unavailable, and the error is lost: its text could
   * hold the password.
   */
  refuses(password: string, user: Readonly<{ email: Field }>): TaskEither<PasswordCheckUnavailable, boolean>
}

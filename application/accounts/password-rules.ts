import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { PasswordRule as Port } from '../ports/password-rule.ts'

/** A rule of your own for new passwords, beside the password policy. It holds for registrations, password changes and commands. */
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
   * A rule that throws, rejects, or answers something else counts as unavailable. An error is lost: its text could hold the password.
   *
   * @param user `email` is as sent: at a registration, it may be missing or malformed
   * @returns true to refuse; a `TaskEither` can also fail with a reason for the service log
   */
  refuses(
    password: string,
    user: Readonly<{ email: Field }>,
  ): boolean | Promise<boolean> | TaskEither<PasswordCheckUnavailable, boolean>
}

/** The rules as the use cases take them. */
export const asPorts = (rules: ReadonlyArray<PasswordRule>): ReadonlyArray<Port> =>
  rules.map((rule, index) => ({
    refusal: rule.refusal,
    refuses: (password, user) => async () => {
      const given = rule.refuses(password, user)
      const answer = typeof given === 'function' ? await given() : right(await given)
      if (isLeft(answer) || typeof answer.right === 'boolean') return answer
      const reason = `password rule ${index + 1} answered neither true nor false`
      return left({ _tag: 'PasswordCheckUnavailable', reason })
    },
  }))

/** The policy with the refusals of the rules, so that every text about it names them. */
export const withRules = (
  policy: PasswordPolicy,
  rules: ReadonlyArray<Pick<PasswordRule, 'refusal'>>,
): PasswordPolicy => ({ ...policy, ruleRefusals: rules.map(({ refusal }) => refusal) })

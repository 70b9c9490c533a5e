import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { PasswordRule as Port } from '../ports/password-rule.ts'

/** A rule of your own for new passwords, beside the password policy. It holds for registrations, password changes and commands. */
export interface PasswordRule {
  /**
   * Names the rule for programs, for example "company-name": 1 to 64 characters of `a-z`, `0-9` and `-`, the first one a letter. No
   * two rules have the same name. `GET /api/v1/password_policy` shows it to everyone. Without it, the service does not start.
   */
  readonly name: string

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
    name: rule.name,
    refusal: rule.refusal,
    refuses: (password, user) => async () => {
      const given = rule.refuses(password, user)
      const answer = typeof given === 'function' ? await given() : right(await given)
      if (isLeft(answer) || typeof answer.right === 'boolean') return answer
      const reason = `password rule ${index + 1} answered neither true nor false`
      return left({ _tag: 'PasswordCheckUnavailable', reason })
    },
  }))

/** The policy with its rules, so that every text about it names them; or a sentence that says what is wrong with their names. */
export const withRules = (
  policy: PasswordPolicy,
  rules: ReadonlyArray<Pick<PasswordRule, 'name' | 'refusal'>>,
): Either<string, PasswordPolicy> => {
  const names: ReadonlyArray<unknown> = rules.map(({ name }) => name) // a program in JavaScript may omit a name
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || !RULE_NAME.test(name))
      return left(
        `Password rule ${index + 1} must have a name of 1 to 64 characters of a-z, 0-9 and "-" that begins with a letter, got ${JSON.stringify(name)}.`,
      )
    const first = names.indexOf(name)
    if (first < index)
      return left(
        `Password rules ${first + 1} and ${index + 1} have the same name "${name}". Give each rule its own name.`,
      )
  }
  return right({ ...policy, rules: rules.map(({ name, refusal }) => ({ name, refusal })) })
}

const RULE_NAME = /^[a-z][a-z0-9-]{0,63}$/

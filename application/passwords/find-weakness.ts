import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Field, isPresent } from '../../domain/field.ts'
import { contextNames, withoutNames } from '../../domain/password-names.ts'
import {
  NOTHING_FOUND,
  needsLookUp,
  type PasswordPolicy,
  type PasswordWeakness,
  ruleWeakness,
  weaknessOf,
} from '../../domain/password-policy.ts'
import type { Overloaded, PasswordCheckUnavailable } from '../ports/failures.ts'
import type { PasswordRule } from '../ports/password-rule.ts'
import type { LeakedPasswords, PasswordEstimator } from '../ports/password-strength.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { ThrottleKey } from '../throttling/throttle-key.ts'

/**
 * Returns why the policy or a rule refuses a new password; none for a missing password, which validation reports.
 *
 * @param email the user's e-mail, if it is known
 */
export type FindWeakness = ((
  password: Field,
  email: Field,
) => TE.TaskEither<PasswordCheckUnavailable | Overloaded, O.Option<PasswordWeakness>>) &
  /** Whether the answer takes look-ups, not only the length. */
  Readonly<{ isExpensive(password: Field): boolean }>

type Dependencies = Readonly<{
  policy: PasswordPolicy
  /** The service's name, and the host where clients reach it. */
  services: ReadonlyArray<string>
  leaked: LeakedPasswords
  estimator: Pick<PasswordEstimator, 'estimate'>
  /** Asked only about passwords that the policy accepts. */
  rules?: ReadonlyArray<PasswordRule>
}>

export const findWeakness = (dependencies: Dependencies): FindWeakness => {
  const { policy, rules = [] } = dependencies
  const find = (password: Field, email: Field) => {
    if (!isPresent(password)) return TE.right(O.none)
    return pipe(
      needsLookUp(policy, password)
        ? lookUpWeakness(dependencies, password, email)
        : TE.right(weaknessOf(policy, password, NOTHING_FOUND)),
      TE.chainW((weakness) =>
        O.isSome(weakness) ? TE.right(weakness) : firstRefusal(rules, password, email),
      ),
    )
  }
  const isExpensive = (password: Field): boolean =>
    isPresent(password) && (rules.length > 0 || needsLookUp(policy, password))
  return Object.assign(find, { isExpensive })
}

/** The refusal of the first rule that refuses the password. */
const firstRefusal =
  (
    rules: ReadonlyArray<PasswordRule>,
    password: string,
    email: Field,
  ): TE.TaskEither<PasswordCheckUnavailable, O.Option<PasswordWeakness>> =>
  async () => {
    for (const [index, rule] of rules.entries()) {
      try {
        const refused = await rule.refuses(password, { email })()
        if (E.isLeft(refused)) return refused
        if (refused.right) return E.right(O.some(ruleWeakness(index)))
      } catch {
        return E.left({
          _tag: 'PasswordCheckUnavailable',
          reason: `password rule ${index + 1} threw an error`,
        })
      }
    }
    return E.right(O.none)
  }

const lookUpWeakness = (
  { policy, services, leaked, estimator }: Dependencies,
  password: string,
  email: Field,
): TE.TaskEither<PasswordCheckUnavailable | Overloaded, O.Option<PasswordWeakness>> => {
  const { rest, hasNames } = withoutNames(password, contextNames(email, services))
  return pipe(
    estimator.estimate(rest), // first, because its queue also limits the look-ups in the list
    TE.bindTo('estimate'),
    TE.bindW('leaked', () => leaked(password)),
    TE.map((found) => weaknessOf(policy, password, { ...found, hasNames })),
  )
}

/**
 * Why the policy refuses the new password of a user who has proved the old one, or has a usable one-time token
 * (docs/keys-and-passwords.md). Weak passwords count, so that a single one cannot keep the estimator busy.
 *
 * @param countedOn the one-time token, or `weakPasswordsOf` the user
 */
export const findCountedWeakness = (
  { findWeakness, throttle }: Readonly<{ findWeakness: FindWeakness; throttle: Throttle }>,
  newPassword: Field,
  { email, countedOn }: Readonly<{ email: string; countedOn: ThrottleKey }>,
): TE.TaskEither<
  Throttled | PasswordCheckUnavailable | Overloaded | StoreUnavailable,
  O.Option<PasswordWeakness>
> => {
  const check = findWeakness(newPassword, email)
  return findWeakness.isExpensive(newPassword)
    ? withThrottle(throttle, countedOn, { check, isSuccess: O.isNone })
    : check
}

/**
 * A count of its own: the right old password resets those of account and session, and weak passwords must delay neither sign-ins nor
 * other changes.
 */
export const weakPasswordsOf = ({ id }: Readonly<{ id: string }>): ThrottleKey => ({
  kind: 'new_password',
  userId: id,
})

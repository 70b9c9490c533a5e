import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Field, isPresent } from '../domain/field.ts'
import { contextNames, withoutNames } from '../domain/password-names.ts'
import {
  NOTHING_FOUND,
  needsLookUp,
  type PasswordPolicy,
  type PasswordWeakness,
  weaknessOf,
} from '../domain/password-policy.ts'
import type { Overloaded, Unjudgeable } from './ports/failures.ts'
import type { LeakedPasswords, PasswordEstimator } from './ports/password-strength.ts'

/**
 * What the policy has against a new password: nothing where it is missing, which is said otherwise. Under `contract`
 * nothing is looked up.
 *
 * @param email of its user, as far as it is known
 */
export type FindWeakness = ((
  password: Field,
  email: Field,
) => TE.TaskEither<Unjudgeable | Overloaded, O.Option<PasswordWeakness>>) &
  /** Whether that takes more than a look at its length. */
  Readonly<{ takesWork(password: Field): boolean }>

/** @param services what the service is called, and the host where clients reach it */
export const findWeakness = ({
  policy,
  services,
  leaked,
  estimator,
}: Readonly<{
  policy: PasswordPolicy
  services: ReadonlyArray<string>
  leaked: LeakedPasswords
  estimator: Pick<PasswordEstimator, 'estimate'>
}>): FindWeakness => {
  const takesWork = (password: Field): password is string =>
    isPresent(password) && needsLookUp(policy, password)

  const find = (password: Field, email: Field) => {
    if (!isPresent(password)) return TE.right(O.none)
    if (!takesWork(password)) return TE.right(weaknessOf(policy, password, NOTHING_FOUND))
    const { rest, hasNames } = withoutNames(password, contextNames(email, services))
    return pipe(
      estimator.estimate(rest), // first, for it bounds how many come to the list
      TE.bindTo('estimate'),
      TE.bindW('leaked', () => leaked(password)),
      TE.map((found) => weaknessOf(policy, password, { ...found, hasNames })),
    )
  }

  return Object.assign(find, { takesWork })
}

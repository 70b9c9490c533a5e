import { isNone, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordWeakness } from '../../domain/password-policy.ts'
import type { Overloaded, PasswordCheckUnavailable } from '../ports/failures.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { type Throttle, type Throttled, type ThrottleKey, withThrottle } from '../throttling/throttle.ts'
import type { FindWeakness } from './find-weakness.ts'

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
): TaskEither<
  Throttled | PasswordCheckUnavailable | Overloaded | StoreUnavailable,
  Option<PasswordWeakness>
> => {
  const check = findWeakness(newPassword, email)
  return findWeakness.isExpensive(newPassword)
    ? withThrottle(throttle, countedOn, { check, isSuccess: isNone })
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

import { isNone, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Field } from '../../domain/field.ts'
import type { PasswordWeakness } from '../../domain/password-policy.ts'
import type { User } from '../../domain/user.ts'
import type { FindWeakness } from '../find-weakness.ts'
import type { Overloaded, PasswordCheckUnavailable } from '../ports/failures.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import { type Throttle, type Throttled, withThrottle } from './throttle.ts'

/**
 * Why the policy refuses a new password of a user who has proved the old one (docs/keys-and-passwords.md).
 *
 * Weak passwords count on the user, so that a single one cannot keep the estimator busy. They have a count of their own: the right old
 * password resets those of account and session, and weak passwords must delay neither sign-ins nor other changes.
 */
export const findWeaknessForUser = (
  { findWeakness, throttle }: Readonly<{ findWeakness: FindWeakness; throttle: Throttle }>,
  newPassword: Field,
  user: User,
): TaskEither<
  Throttled | PasswordCheckUnavailable | Overloaded | StoreUnavailable,
  Option<PasswordWeakness>
> => {
  const check = findWeakness(newPassword, user.email)
  return findWeakness.isExpensive(newPassword)
    ? withThrottle(throttle, { kind: 'new_password', userId: user.id }, { check, isSuccess: isNone })
    : check
}

import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, required } from './field.ts'
import { type PasswordWeakness, weaknessCodes } from './password-policy.ts'

/** The problems with a new password that the request contains twice. */
export type NewPasswordProblem =
  | 'NewPasswordMissing'
  | 'NewPasswordCheckMissing'
  | 'NewPasswordCheckDiffers'
  | PasswordWeakness

/** The code of each problem. A route may use the codes 1, 4, and from 12 on for its other fields. */
export const NEW_PASSWORD_CODES = {
  NewPasswordMissing: 2,
  NewPasswordCheckMissing: 3,
  NewPasswordCheckDiffers: 5,
  ...weaknessCodes(6),
}

export type NewPasswordFields = Readonly<{ newPassword: Field; newPasswordCheck: Field }>

type Validated = Either<NonEmptyArray<NewPasswordProblem>, string>

/**
 * Validates the two fields of a new password. The caller combines them with its other fields.
 *
 * @param weakness why the policy refuses `newPassword`; ignored if `newPassword` is missing
 */
export const validateNewPassword = (
  { newPassword, newPasswordCheck }: NewPasswordFields,
  weakness: Option<PasswordWeakness>,
): Readonly<{ newPassword: Validated; newPasswordCheck: Validated }> => ({
  newPassword: pipe(
    required<NewPasswordProblem>('NewPasswordMissing')(newPassword),
    chain((password) => (isSome(weakness) ? left([weakness.value]) : right(password))),
  ),
  newPasswordCheck: pipe(
    required<NewPasswordProblem>('NewPasswordCheckMissing')(newPasswordCheck),
    chain((check) => (check === newPassword ? right(check) : left(['NewPasswordCheckDiffers']))),
  ),
})

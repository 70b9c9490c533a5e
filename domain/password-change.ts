import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, required, together } from './field.ts'
import type { PasswordWeakness } from './password-policy.ts'

/** Seed §7.2, codes 1 to 5, and interface §3, code 6. */
export type PasswordChangeProblem =
  | 'OldPasswordMissing'
  | 'NewPasswordMissing'
  | 'NewPasswordCheckMissing'
  | 'OldPasswordWrong'
  | 'NewPasswordCheckDiffers'
  | PasswordWeakness

/** The numbers under which clients and the log know them. */
export const PASSWORD_CHANGE_CODES: Readonly<Record<PasswordChangeProblem, number>> = {
  OldPasswordMissing: 1,
  NewPasswordMissing: 2,
  NewPasswordCheckMissing: 3,
  OldPasswordWrong: 4,
  NewPasswordCheckDiffers: 5,
  PasswordTooShort: 6,
  PasswordLeaked: 6,
  PasswordFromNames: 6,
  PasswordCommon: 6,
  PasswordGuessable: 6,
}

export type PasswordChangeRequest = Readonly<{
  oldPassword: Field
  newPassword: Field
  newPasswordCheck: Field
}>

const judged = together<PasswordChangeProblem>()

/**
 * Everything that is wrong with a password change, at most one problem a field: "missing or empty" hides the
 * field's other rule, and nothing else hides anything.
 *
 * @param oldPasswordMatches whether `oldPassword` is the current password; looked at only when it is there
 * @param weakness what the policy has against `newPassword`; looked at only when it is there
 */
export const validatePasswordChange = (
  request: PasswordChangeRequest,
  oldPasswordMatches: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<PasswordChangeProblem>, { newPassword: string }> =>
  judged({
    oldPassword: pipe(
      required<PasswordChangeProblem>('OldPasswordMissing')(request.oldPassword),
      chain((old) => (oldPasswordMatches ? right(old) : left(['OldPasswordWrong']))),
    ),
    newPassword: pipe(
      required<PasswordChangeProblem>('NewPasswordMissing')(request.newPassword),
      chain((password) => (isSome(weakness) ? left([weakness.value]) : right(password))),
    ),
    newPasswordCheck: pipe(
      required<PasswordChangeProblem>('NewPasswordCheckMissing')(request.newPasswordCheck),
      chain((check) => (check === request.newPassword ? right(check) : left(['NewPasswordCheckDiffers']))),
    ),
  })

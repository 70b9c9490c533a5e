import { chain, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, isPresent, required } from './field.ts'
import {
  NEW_PASSWORD_CODES,
  type NewPasswordFields,
  type NewPasswordProblem,
  validateNewPassword,
} from './new-password.ts'
import { isRuleWeakness, type PasswordWeakness } from './password-policy.ts'
import type { Session } from './session.ts'

/** The problems behind codes 1 to 11 of docs/contract.md §7.1. */
export type PasswordChangeProblem = 'OldPasswordMissing' | 'OldPasswordWrong' | NewPasswordProblem

/** The code of each problem in responses and in the log. */
export const PASSWORD_CHANGE_CODES = { OldPasswordMissing: 1, OldPasswordWrong: 4, ...NEW_PASSWORD_CODES }

export const passwordChangeCode = (problem: PasswordChangeProblem): number =>
  PASSWORD_CHANGE_CODES[isRuleWeakness(problem) ? 'PasswordRule' : problem]

export type PasswordChangeRequest = Readonly<{ oldPassword: Field }> & NewPasswordFields

/** For how long a session can repeat a change of the password. */
const REPEATED_WITHIN_SECONDS = 60

/** Whether a request may be a second click on a change that its session has made: then its old password is wrong now. */
export const mayRepeatChange = (
  { oldPassword, newPassword, newPasswordCheck }: PasswordChangeRequest,
  { passwordChangedAtSeconds }: Pick<Session, 'passwordChangedAtSeconds'>,
  nowSeconds: number,
): boolean =>
  isPresent(oldPassword) &&
  isPresent(newPassword) &&
  newPassword === newPasswordCheck &&
  isSome(passwordChangedAtSeconds) &&
  nowSeconds < passwordChangedAtSeconds.value + REPEATED_WITHIN_SECONDS

const combine = combineFields<PasswordChangeProblem>()

/**
 * Returns the new password, or all problems of the request in the order of its fields: at most one per field
 * (docs/contract.md §7.2). Routes and the log sort them by code.
 *
 * "Missing or empty" hides the other rule of the same field.
 *
 * @param oldPasswordMatches whether `oldPassword` is the current password; ignored if `oldPassword` is missing
 * @param weakness why the policy refuses `newPassword`; ignored if `newPassword` is missing
 */
export const validatePasswordChange = (
  request: PasswordChangeRequest,
  oldPasswordMatches: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<PasswordChangeProblem>, { newPassword: string }> =>
  pipe(
    combine({
      oldPassword: pipe(
        required<PasswordChangeProblem>('OldPasswordMissing')(request.oldPassword),
        chain((old) => (oldPasswordMatches ? right(old) : left(['OldPasswordWrong']))),
      ),
      ...validateNewPassword(request, weakness),
    }),
    map(({ newPassword }) => ({ newPassword })),
  )

import { chain, type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, required } from './field.ts'
import {
  NEW_PASSWORD_CODES,
  type NewPasswordFields,
  type NewPasswordProblem,
  validateNewPassword,
} from './new-password.ts'
import { isRuleWeakness, type PasswordWeakness } from './password-policy.ts'

/** The problems behind codes 1 to 11 of docs/contract.md §7.1. */
export type PasswordChangeProblem = 'OldPasswordMissing' | 'OldPasswordWrong' | NewPasswordProblem

/** The code of each problem in responses and in the log. */
export const PASSWORD_CHANGE_CODES = { OldPasswordMissing: 1, OldPasswordWrong: 4, ...NEW_PASSWORD_CODES }

export const passwordChangeCode = (problem: PasswordChangeProblem): number =>
  PASSWORD_CHANGE_CODES[isRuleWeakness(problem) ? 'PasswordRule' : problem]

export type PasswordChangeRequest = Readonly<{ oldPassword: Field }> & NewPasswordFields

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

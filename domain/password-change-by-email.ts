import { chain, type Either, fromOption, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, isPresent, required } from './field.ts'
import {
  type PasswordChangeProblem,
  type PasswordChangeRequest,
  passwordChangeCode,
  validatePasswordChange,
} from './password-change.ts'
import type { PasswordWeakness } from './password-policy.ts'

/** The problems behind the codes of docs/account-pages.md. */
export type PasswordChangeByEmailProblem = PasswordChangeProblem | 'EmailMissing' | 'SecondFactorDue'

/** A signed-in user's change has no e-mail, and uses the codes 1 to 11. */
export const EMAIL_MISSING_CODE = 12

/** The password is right, but not enough: without `KEY_ENCRYPTION_KEY` the form has no second step. */
export const SECOND_FACTOR_DUE_CODE = 13

/** The first of three codes of the second step: no code, a wrong one of the app, and a wrong recovery code. */
export const PASSWORD_SECOND_STEP_CODE = 14

/** The proof of the first step has ended. */
export const PASSWORD_STEP_ENDED_CODE = 17

/** The other codes are those of a signed-in user's change (docs/contract.md §7.1). */
export const passwordChangeByEmailCode = (problem: PasswordChangeByEmailProblem): number => {
  if (problem === 'EmailMissing') return EMAIL_MISSING_CODE
  return problem === 'SecondFactorDue' ? SECOND_FACTOR_DUE_CODE : passwordChangeCode(problem)
}

export type PasswordChangeByEmailRequest = PasswordChangeRequest & Readonly<{ email: Field }>

const combine = combineFields<PasswordChangeByEmailProblem>()

/**
 * Returns the account and its new password, or all problems of the request: at most one per field.
 *
 * @param account the enabled account with that e-mail and old password. It is none if either is wrong, so the answer does not show
 *   which one
 * @param weakness why the policy refuses `newPassword`. It is looked up for an account only, so that strangers cannot use the
 *   service to examine passwords
 */
export const validatePasswordChangeByEmail = <Account>(
  request: PasswordChangeByEmailRequest,
  account: Option<Account>,
  weakness: Option<PasswordWeakness>,
): Either<
  NonEmptyArray<PasswordChangeByEmailProblem>,
  Readonly<{ account: Account; newPassword: string }>
> => {
  // Without an e-mail the old password was not checked, so it is not reported as wrong.
  const isOldPasswordAccepted = isSome(account) || !isPresent(request.email)
  return pipe(
    combine({
      email: required<PasswordChangeByEmailProblem>('EmailMissing')(request.email),
      change: validatePasswordChange(request, isOldPasswordAccepted, weakness),
    }),
    chain(({ change: { newPassword } }) =>
      pipe(
        account,
        fromOption((): NonEmptyArray<PasswordChangeByEmailProblem> => ['OldPasswordWrong']), // the compiler cannot see that there is one
        map((found) => ({ account: found, newPassword })),
      ),
    ),
  )
}

import { chain, type Either, fromPredicate, map } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, required } from './field.ts'
import { validateLanguage } from './language.ts'
import {
  NEW_PASSWORD_CODES,
  type NewPasswordFields,
  type NewPasswordProblem,
  validateNewPassword,
} from './new-password.ts'
import { isRuleWeakness, type PasswordWeakness } from './password-policy.ts'
import { validateReturnTo } from './return-urls.ts'

/** The problem behind the code of a start of a recovery (docs/account-life.md §2.1). */
export type RecoveryStartProblem = 'EmailMissing'

/** Returns the e-mail of the account to recover. A malformed one belongs to no account, and is no problem. */
export const validateRecoveryStart = ({
  email,
}: RecoveryStartRequest): Either<NonEmptyArray<RecoveryStartProblem>, string> =>
  required<RecoveryStartProblem>('EmailMissing')(email)

export type RecoveryStartRequest = Readonly<{ email: Field }>

/** The problems behind the codes of a recovery mail (docs/account-life.md §2.3). */
export type RecoveryMailProblem = RecoveryStartProblem | 'LanguageMalformed' | 'ReturnToUnknown'

export type RecoveryMailRequest = RecoveryStartRequest & Readonly<{ language: Field; returnTo: Field }>

/** Returns what to mail, or all problems of the request. They do not depend on any account. */
export const validateRecoveryMail = (
  request: RecoveryMailRequest,
  returnUrls: ReadonlyArray<string>,
): Either<
  NonEmptyArray<RecoveryMailProblem>,
  Readonly<{ email: string; language: Option<string>; returnTo: Option<string> }>
> =>
  combineFields<RecoveryMailProblem>()({
    email: validateRecoveryStart(request),
    language: validateLanguage(request.language),
    returnTo: validateReturnTo(request.returnTo, returnUrls),
  })

/** The problems behind the codes of docs/account-life.md §2.2. */
export type RecoveryProblem = 'TokenMissing' | 'TokenInvalid' | NewPasswordProblem

/** The code of each problem in responses and in the log. */
export const RECOVERY_CODES = { TokenMissing: 1, TokenInvalid: 4, ...NEW_PASSWORD_CODES }

export const recoveryCode = (problem: RecoveryProblem): number =>
  RECOVERY_CODES[isRuleWeakness(problem) ? 'PasswordRule' : problem]

export type RecoveryRequest = Readonly<{ token: Field }> & NewPasswordFields

const combine = combineFields<RecoveryProblem>()

/**
 * Returns the new password, or all problems of the request: at most one per field.
 *
 * @param isTokenUsable whether `token` can be used now; ignored if `token` is missing
 * @param weakness why the policy refuses `newPassword`. It is looked up for a usable token only, so that strangers cannot use
 *   the service to examine passwords
 */
export const validateRecovery = (
  request: RecoveryRequest,
  isTokenUsable: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<RecoveryProblem>, { newPassword: string }> =>
  pipe(
    combine({
      token: pipe(
        required<RecoveryProblem>('TokenMissing')(request.token),
        chain(
          fromPredicate(
            () => isTokenUsable,
            (): NonEmptyArray<RecoveryProblem> => ['TokenInvalid'],
          ),
        ),
      ),
      ...validateNewPassword(request, isTokenUsable ? weakness : none),
    }),
    map(({ newPassword }) => ({ newPassword })),
  )

import { chain, type Either, fromOption } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type Field, isPresent, required, together } from './field.ts'

export type SignInProblem = 'EmailMissing' | 'PasswordMissing' | 'PasswordDoesNotMatch'

export type SignInRequest = Readonly<{ email: Field; password: Field }>

/** Looking an account up and checking a password is worth its cost only when both fields are there. */
export const isWorthVerifying = (request: SignInRequest): request is { email: string; password: string } =>
  isPresent(request.email) && isPresent(request.password)

const judged = together<SignInProblem>()

/**
 * The account that a sign-in is for, or everything that is wrong with it.
 *
 * @param account the account with that e-mail and password, if there is one. Nobody learns from the answer
 *   which of the two was wrong
 */
export const validateSignIn = <Account>(
  request: SignInRequest,
  account: Option<Account>,
): Either<NonEmptyArray<SignInProblem>, Account> =>
  pipe(
    judged({
      email: required<SignInProblem>('EmailMissing')(request.email),
      password: required<SignInProblem>('PasswordMissing')(request.password),
    }),
    chain(() => fromOption((): NonEmptyArray<SignInProblem> => ['PasswordDoesNotMatch'])(account)),
  )

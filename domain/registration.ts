import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import type { Scope } from './application.ts'
import { combineFields, type Field, isPresent, required } from './field.ts'
import { isRuleWeakness, type PasswordWeakness, weaknessCodes } from './password-policy.ts'
import { isEmail } from './user.ts'

/** The problems behind the codes of docs/contract.md §4. */
export type RegistrationProblem =
  | 'EmailMissing'
  | 'PasswordMissing'
  | 'EmailMalformed'
  | 'EmailTaken'
  | PasswordWeakness

/** The code of each problem in responses and in the log. */
export const REGISTRATION_CODES = {
  EmailMissing: 1,
  PasswordMissing: 2,
  EmailMalformed: 3,
  EmailTaken: 4,
  ...weaknessCodes(5),
}

export const registrationCode = (problem: RegistrationProblem): number =>
  REGISTRATION_CODES[isRuleWeakness(problem) ? 'PasswordRule' : problem]

export type RegistrationRequest = Readonly<{
  email: Field
  password: Field
  /** Whether the caller says that it verified the e-mail. */
  emailVerified?: boolean
}>

/** Whether both fields are there, so that the password may be hashed. */
export const isCompleteRegistration = ({ email, password }: RegistrationRequest): boolean =>
  isPresent(email) && isPresent(password)

/** Whether an application may register users with a verified e-mail. Without the scope, the server ignores what it says. */
export const mayVerifyEmail = (scope: ReadonlyArray<Scope>): boolean => scope.includes('users:confirm_email')

const combine = combineFields<RegistrationProblem>()

/**
 * Returns the e-mail and password, or all problems of the request.
 *
 * @param weakness why the policy refuses the password; ignored if the password is missing
 */
export const validateRegistration = (
  request: RegistrationRequest,
  emailTaken: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<RegistrationProblem>, { email: string; password: string }> =>
  combine({
    email: pipe(
      required<RegistrationProblem>('EmailMissing')(request.email),
      chain((email) => (isEmail(email) ? right(email) : left(['EmailMalformed']))),
      chain((email) => (emailTaken ? left(['EmailTaken']) : right(email))),
    ),
    password: pipe(
      required<RegistrationProblem>('PasswordMissing')(request.password),
      chain((password) => (isSome(weakness) ? left([weakness.value]) : right(password))),
    ),
  })

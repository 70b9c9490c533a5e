import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
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
  /** Whether the user shall have no password. With a password, it has no effect. */
  withoutPassword?: boolean
}>

/** Whether the fields are there, so that the user may be registered. */
export const isCompleteRegistration = ({ email, password, withoutPassword }: RegistrationRequest): boolean =>
  isPresent(email) && (isPresent(password) || withoutPassword === true)

/** Whether an application may say that a user has proved an e-mail. Without the scope, the server ignores what it says. */
export const mayVerifyEmail = (scope: ReadonlyArray<Scope>): boolean => scope.includes('users:confirm_email')

/** Whether an application may register users without a password: it must be able to sign them in. */
export const mayOmitPassword = (scope: ReadonlyArray<Scope>): boolean => scope.includes('users:vouch')

const combine = combineFields<RegistrationProblem>()

/**
 * Returns the e-mail and the password, if there is to be one, or all problems of the request.
 *
 * @param weakness why the policy refuses the password; ignored if the password is missing
 */
export const validateRegistration = (
  request: RegistrationRequest,
  emailTaken: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<RegistrationProblem>, { email: string; password: Option<string> }> =>
  combine({
    email: pipe(
      required<RegistrationProblem>('EmailMissing')(request.email),
      chain((email) => (isEmail(email) ? right(email) : left(['EmailMalformed']))),
      chain((email) => (emailTaken ? left(['EmailTaken']) : right(email))),
    ),
    password:
      request.withoutPassword === true && !isPresent(request.password)
        ? right(none)
        : pipe(
            required<RegistrationProblem>('PasswordMissing')(request.password),
            chain((password) => (isSome(weakness) ? left([weakness.value]) : right(some(password)))),
          ),
  })

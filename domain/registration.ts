import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import { type Field, required, together } from './field.ts'
import type { PasswordWeakness } from './password-policy.ts'
import { isEmail } from './user.ts'

export type RegistrationProblem =
  | 'EmailMissing'
  | 'PasswordMissing'
  | 'EmailMalformed'
  | 'EmailTaken'
  | PasswordWeakness

export type RegistrationRequest = Readonly<{ email: Field; password: Field }>

const judged = together<RegistrationProblem>()

/**
 * Everything that is wrong with a registration.
 *
 * @param weakness what the policy has against the password; looked at only when it is there
 */
export const validateRegistration = (
  request: RegistrationRequest,
  emailTaken: boolean,
  weakness: Option<PasswordWeakness>,
): Either<NonEmptyArray<RegistrationProblem>, { email: string; password: string }> =>
  judged({
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

import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Field, required, together } from './field.ts'
import { isEmail } from './user.ts'

export type RegistrationProblem = 'EmailMissing' | 'PasswordMissing' | 'EmailMalformed' | 'EmailTaken'

export type RegistrationRequest = Readonly<{ email: Field; password: Field }>

const judged = together<RegistrationProblem>()

/** Everything that is wrong with a registration. */
export const judgeRegistration = (
  request: RegistrationRequest,
  emailTaken: boolean,
): Either<NonEmptyArray<RegistrationProblem>, { email: string; password: string }> =>
  judged({
    email: pipe(
      required<RegistrationProblem>('EmailMissing')(request.email),
      chain((email) => (isEmail(email) ? right(email) : left(['EmailMalformed']))),
      chain((email) => (emailTaken ? left(['EmailTaken']) : right(email))),
    ),
    password: required<RegistrationProblem>('PasswordMissing')(request.password),
  })

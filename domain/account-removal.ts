import { chain, type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Field, required } from './field.ts'

/** The problems behind the codes of docs/administration.md §1. */
export type AccountRemovalProblem = 'PasswordMissing' | 'PasswordWrong'

export type AccountRemovalRequest = Readonly<{ password: Field }>

/** Returns the password, or the problem with it. */
export const validateAccountRemoval = (
  { password }: AccountRemovalRequest,
  passwordMatches: boolean,
): Either<NonEmptyArray<AccountRemovalProblem>, string> =>
  pipe(
    required<AccountRemovalProblem>('PasswordMissing')(password),
    chain((sent) => (passwordMatches ? right(sent) : left(['PasswordWrong']))),
  )

import { sequenceT } from 'fp-ts/lib/Apply.js'
import { type Either, getApplicativeValidation, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { type Factor, MAX_FACTORS, secondFactors } from './factor.ts'
import { isPrintable } from './name.ts'
import type { User } from './user.ts'

/** The problems behind the codes of the start of an enrolment, of any kind (docs/second-factor.md). */
export type EnrolmentStartProblem = 'EmailNotVerified' | 'TooManyFactors'

/** Returns the user that may enrol a factor, or all reasons against it. */
export const validateEnrolmentStart = (
  user: User,
  factors: ReadonlyArray<Pick<Factor, 'kind'>>,
): Either<NonEmptyArray<EnrolmentStartProblem>, User> =>
  pipe(
    sequenceT(getApplicativeValidation(getSemigroup<EnrolmentStartProblem>()))(
      // Otherwise the factor would outlast the owner of the mailbox, who recovers an account that another person registered.
      user.emailVerified ? right(user) : left(['EmailNotVerified']),
      secondFactors(factors).length < MAX_FACTORS ? right(user) : left(['TooManyFactors']),
    ),
    map(() => user),
  )

export type FactorNameProblem = 'NameMalformed'

/** Returns the name of a factor: 1 to 64 printable characters. */
export const validateFactorName = (name: string): Either<NonEmptyArray<FactorNameProblem>, string> =>
  isPrintable(name, MAX_NAME_CHARACTERS) ? right(name) : left(['NameMalformed'])

const MAX_NAME_CHARACTERS = 64

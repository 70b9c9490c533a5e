import { sequenceS } from 'fp-ts/lib/Apply.js'
import { type Either, getApplicativeValidation, left, right } from 'fp-ts/lib/Either.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

/** One field of a request: a string, or absent. */
export type Field = string | undefined

/**
 * Whether a field has a value. An empty string counts as absent (docs/contract.md §1.7).
 * So does malformed Unicode: two such strings can have the same UTF-8 bytes.
 */
export const isPresent = (field: Field): field is string =>
  field !== undefined && field !== '' && field.isWellFormed()

/** Returns the text of a field, or the problem `missing`. */
export const required =
  <P>(missing: P) =>
  (field: Field): Either<NonEmptyArray<P>, string> =>
    isPresent(field) ? right(field) : left([missing])

/** Combines the validated fields of a request: all values, or the problems of all fields. */
export const combineFields = <P>() => sequenceS(getApplicativeValidation(getSemigroup<P>()))

/** The request breaks rules of the domain. `problems` has all of them, and nothing changed. */
export type Invalid<Problem> = Readonly<{ _tag: 'Invalid'; problems: NonEmptyArray<Problem> }>

export const invalid = <Problem>(problems: NonEmptyArray<Problem>): Invalid<Problem> => ({
  _tag: 'Invalid',
  problems,
})

/** Whether a member of a JSON object is missing or null. */
export const isAbsent = (field: unknown): boolean => field === undefined || field === null

import { sequenceS } from 'fp-ts/lib/Apply.js'
import { type Either, getApplicativeValidation, left, right } from 'fp-ts/lib/Either.js'
import { getSemigroup, type NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

/** One field of a request as the edge hands it over: a string, or absent. */
export type Field = string | undefined

/**
 * Whether a field is there at all. A string that is empty or not well-formed Unicode counts as absent: the
 * first is the seed's rule (§2), the second keeps two different strings from becoming the same UTF-8 bytes.
 */
export const isPresent = (field: Field): field is string =>
  field !== undefined && field !== '' && field.isWellFormed()

/** The field's text, or the one problem that stands for "missing or empty". */
export const required =
  <P>(missing: P) =>
  (field: Field): Either<NonEmptyArray<P>, string> =>
    isPresent(field) ? right(field) : left([missing])

/** Judges the fields of a request side by side: all of their values, or the problems of all that have any. */
export const together = <P>() => sequenceS(getApplicativeValidation(getSemigroup<P>()))

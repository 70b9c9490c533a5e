import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

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

import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

/** The request breaks rules of the domain. `problems` has all of them, and nothing changed. */
export type Invalid<Problem> = Readonly<{ _tag: 'Invalid'; problems: NonEmptyArray<Problem> }>

export const invalid = <Problem>(problems: NonEmptyArray<Problem>): Invalid<Problem> => ({
  _tag: 'Invalid',
  problems,
})

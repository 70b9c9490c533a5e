import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

/** A request that breaks rules of the domain: all of them that it breaks. Nothing was changed. */
export type Invalid<Problem> = Readonly<{ _tag: 'Invalid'; problems: NonEmptyArray<Problem> }>

export const invalid = <Problem>(problems: NonEmptyArray<Problem>): Invalid<Problem> => ({
  _tag: 'Invalid',
  problems,
})

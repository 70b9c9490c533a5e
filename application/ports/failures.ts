import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'

/**
 * Failures that several ports and use cases share.
 *
 * The testkit has no contract for these types. The contracts of the ports that answer them expect them.
 */

/** The service has too much work. Nothing was done. The same request may succeed later. */
export type Overloaded = Readonly<{ _tag: 'Overloaded'; retryAfterSeconds: number }>

/** The service cannot check the password now. Nothing was done. The same request may succeed later. `reason` contains no secret. */
export type PasswordCheckUnavailable = Readonly<{ _tag: 'PasswordCheckUnavailable'; reason: string }>

/** The client disconnected before the work started. Nothing was done. */
export type Abandoned = Readonly<{ _tag: 'Abandoned' }>

/** The request breaks rules of the domain. `problems` has all of them, and nothing changed. */
export type Invalid<Problem> = Readonly<{ _tag: 'Invalid'; problems: NonEmptyArray<Problem> }>

export const invalid = <Problem>(problems: NonEmptyArray<Problem>): Invalid<Problem> => ({
  _tag: 'Invalid',
  problems,
})

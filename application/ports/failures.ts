/**
 * What can go wrong in more than one place, whatever it was that was asked for.
 *
 * The testkit has no contract for these types: each port that answers them has a contract that expects them.
 */

/** The service has more to do than it can do in time. Nothing was done; the same again later may pass. */
export type Overloaded = Readonly<{ _tag: 'Overloaded'; retryAfterSeconds: number }>

/** A password cannot be judged now. Nothing was done; the same again later may pass. `reason` holds nothing secret. */
export type Unjudgeable = Readonly<{ _tag: 'Unjudgeable'; reason: string }>

/** Nobody waits for the answer any more. Nothing was done. */
export type Abandoned = Readonly<{ _tag: 'Abandoned' }>

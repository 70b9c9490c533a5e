import { randomInt } from 'node:crypto'

/** Random choices that repeat with the same seed. */
export type Chance = Readonly<{
  /** A whole number from 0 to below `end`. */
  below: (end: number) => number
  /** One of these. */
  of: <A>(choices: ReadonlyArray<A>) => A | undefined
}>

/** The seed of this run. To reproduce a failure, set FAULT_SEED. */
export const seedOfThisRun = (): number => Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))

/** Mulberry32: small, with a sufficient distribution. */
export const chance = (seed: number): Chance => {
  let state = seed
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
  return { below, of: (choices) => choices[below(choices.length)] }
}

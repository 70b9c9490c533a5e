import { createHash } from 'node:crypto'

/** The times of one kind of request, in the order of measurement. */
export type Sample = ReadonlyArray<number>

/**
 * The area under the ROC curve: the fraction of pairs in which a time of the one kind exceeds a time of the other (Mann–Whitney U
 * divided by n²), with ties as half. At 0.5 the time reveals nothing. At 1 or 0 it reveals the kind.
 */
export const areaUnderCurve = (one: Sample, other: Sample): number => {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ].sort((left, right) => left.value - right.value)
  let u = 0
  let below = 0
  for (let from = 0; from < all.length; ) {
    let [ones, others, to] = [0, 0, from]
    for (; all[to]?.value === all[from]?.value && to < all.length; to += 1) {
      if (all[to]?.isOne) ones += 1
      else others += 1
    }
    u += ones * (below + others / 2)
    below += others
    from = to
  }
  return u / (one.length * other.length)
}

/** The same over the pairs within a block, which were measured close together without drift in between. */
export const areaWithinBlocks = (one: Sample, other: Sample): number =>
  one.reduce((sum, value, block) => sum + (1 + Math.sign(value - (other[block] ?? Number.NaN))) / 2, 0) /
  one.length

export const median = (sample: Sample): number =>
  sample.toSorted((one, other) => one - other)[Math.floor(sample.length / 2)] ?? Number.NaN

/** The distance from 0.5, on either side. */
export const awayFromHalf = (area: number): number => Math.max(area, 1 - area)

/** Random orders that repeat with the same seed (Fisher–Yates over SHA-256 of a counter). */
export const shuffler = (seed: string) => {
  let drawn = 0
  const below = (limit: number): number => {
    drawn += 1
    const number = createHash('sha256').update(`${seed} ${drawn}`).digest().readUInt32BE(0)
    return Math.floor((number / 2 ** 32) * limit)
  }
  return <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => {
    const shuffled = [...items]
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = below(index + 1)
      ;[shuffled[index], shuffled[other]] = [shuffled[other] as A, shuffled[index] as A]
    }
    return shuffled
  }
}

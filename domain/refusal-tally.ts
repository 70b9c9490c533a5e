import type { RefusalReason } from './event.ts'

/** How often something was refused, when, why, and about whom. */
export type RefusalTally = Readonly<{
  count: number
  fromMilliseconds: number
  toMilliseconds: number
  reasons: ReadonlyMap<RefusalReason, number>
  /** By the id of the subject, where that is known. */
  subjects: ReadonlyMap<string, number>
}>

/** The tally of one refusal. */
export const tallyOf = ({
  reason,
  subjectId,
  atMilliseconds,
}: Readonly<{
  reason: RefusalReason
  subjectId: string | undefined
  atMilliseconds: number
}>): RefusalTally => ({
  count: 1,
  fromMilliseconds: atMilliseconds,
  toMilliseconds: atMilliseconds,
  reasons: new Map([[reason, 1]]),
  subjects: new Map(subjectId === undefined ? [] : [[subjectId, 1]]),
})

/** Both tallies in one. */
export const together = (one: RefusalTally, other: RefusalTally): RefusalTally => ({
  count: one.count + other.count,
  fromMilliseconds: Math.min(one.fromMilliseconds, other.fromMilliseconds),
  toMilliseconds: Math.max(one.toMilliseconds, other.toMilliseconds),
  reasons: summed(one.reasons, other.reasons, Number.POSITIVE_INFINITY), // there are a handful
  subjects: summed(one.subjects, other.subjects, SUBJECTS_COUNTED),
})

/** The entries with the highest counts, highest first. */
export const highest = <Key>(
  counts: ReadonlyMap<Key, number>,
  limit = counts.size,
): ReadonlyArray<readonly [key: Key, count: number]> =>
  [...counts].sort(([, one], [, other]) => other - one).slice(0, limit)

/**
 * Both counts in one. Beyond the capacity a new key takes over the lowest count, as the algorithm Space-Saving does: a key
 * that had a large part of all is never missing, and its count is never too low.
 */
const summed = <Key>(
  one: ReadonlyMap<Key, number>,
  other: ReadonlyMap<Key, number>,
  capacity: number,
): ReadonlyMap<Key, number> => {
  const sums = new Map(one)
  for (const [key, count] of other) {
    const known = sums.get(key)
    if (known === undefined && sums.size >= capacity) {
      const [lowest, least] = [...sums].reduce((low, entry) => (entry[1] < low[1] ? entry : low))
      sums.delete(lowest)
      sums.set(key, least + count)
    } else sums.set(key, (known ?? 0) + count)
  }
  return sums
}

/** Counts are exact for so many subjects. */
const SUBJECTS_COUNTED = 100

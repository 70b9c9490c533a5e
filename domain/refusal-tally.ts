import type { RefusalReason } from './refusal-reasons.ts'

/** Counts of refusals in a time span, by reason and by subject. */
export type RefusalTally = Readonly<{
  count: number
  fromMilliseconds: number
  toMilliseconds: number
  reasons: ReadonlyMap<RefusalReason, number>
  /** By the id of the subject, where it is known. */
  subjects: ReadonlyMap<string, number>
}>

/** Returns the tally of one refusal. */
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

/** Merges two tallies. */
export const mergeTallies = (one: RefusalTally, other: RefusalTally): RefusalTally => ({
  count: one.count + other.count,
  fromMilliseconds: Math.min(one.fromMilliseconds, other.fromMilliseconds),
  toMilliseconds: Math.max(one.toMilliseconds, other.toMilliseconds),
  reasons: sumCounts(one.reasons, other.reasons, Number.POSITIVE_INFINITY), // few reasons exist
  subjects: sumCounts(one.subjects, other.subjects, SUBJECTS_COUNTED),
})

/** Returns the entries with the highest counts, highest first. */
export const highest = <Key>(
  counts: ReadonlyMap<Key, number>,
  limit = counts.size,
): ReadonlyArray<readonly [key: Key, count: number]> =>
  [...counts].sort(([, one], [, other]) => other - one).slice(0, limit)

/**
 * Merges counts, with at most `capacity` keys. A new key then replaces the key with the lowest count and inherits that count
 * (the algorithm Space-Saving). So a frequent key is never missing, and its count is never too low.
 */
const sumCounts = <Key>(
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

/** Counts are exact up to this number of subjects. */
const SUBJECTS_COUNTED = 100

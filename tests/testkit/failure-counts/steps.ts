import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type CountKind,
  type FailureCounts,
  KEPT_AT_MOST,
} from '../../../application/ports/failure-counts.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { ok } from '../outcome.ts'

/** When every case begins. */
export const NOW = 1_800_000_000_000

/** So many keys of a kind with a limit are kept in every case: few enough to reach. */
export const KEPT_IN_CASES = 500

const KINDS = Object.keys(KEPT_AT_MOST) as ReadonlyArray<CountKind>
export const LIMITED = KINDS.filter((kind) => Number.isFinite(KEPT_AT_MOST[kind]))
export const UNLIMITED = KINDS.filter((kind) => !LIMITED.includes(kind))

/** A table like `KEPT_AT_MOST`, with another limit. */
export const keepingAtMost = (limit: number): typeof KEPT_AT_MOST => ({
  ...KEPT_AT_MOST,
  ...Object.fromEntries(LIMITED.map((kind) => [kind, limit])),
})

const DAY_MS = 24 * 3600 * 1000

/** Failures that by default are forgotten tomorrow. */
export const failures = (count: number, fields: Partial<Failures> = {}): Failures => ({
  count,
  refusedUntil: 0,
  forgottenFrom: NOW + DAY_MS,
  ...fields,
})

/** Replaces what a key holds. */
export const keep = (
  counts: FailureCounts,
  key: string,
  kept: Failures,
  kind: CountKind = 'account',
): Promise<void> => ok(counts.update({ kind, key }, () => ({ kept: some(kept), answer: undefined })))

/** Deletes what is kept under a key. */
export const remove = (counts: FailureCounts, key: string): Promise<void> =>
  ok(counts.update({ kind: 'account', key }, () => ({ kept: none, answer: undefined })))

/** What is kept under a key. To read is to update without changing anything. */
export const read = (counts: FailureCounts, key: string, kind?: CountKind): Promise<Option<Failures>> =>
  ok(reading(counts, key, kind))

export const reading = (
  counts: FailureCounts,
  key: string,
  kind: CountKind = 'account',
): TaskEither<StoreUnavailable, Option<Failures>> =>
  counts.update({ kind, key }, (known) => ({ kept: known, answer: known }))

/** Counts one more under a key, and answers how many there were before. */
export const countOne = (counts: FailureCounts, key: string): TaskEither<StoreUnavailable, number> =>
  counts.update({ kind: 'account', key }, (known) => {
    const before = countIn(known)
    return { kept: some(failures(before + 1)), answer: before }
  })

export const countIn = (known: Option<Failures>): number => (isSome(known) ? known.value.count : 0)

import { right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { memoryFailureCounts } from '../../../adapters/driven/memory/failure-counts.ts'
import type { Clock } from '../../../application/ports/environment.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import type { BrokenOne } from './a-contract.ts'
import { turn } from './broken.ts'

/** Counts that break one promise, and the cases of the contract that are there to notice. */
export type BrokenCounts = BrokenOne<(clock: Clock, keptAtMost: number) => FailureCounts>

type Known = O.Option<Failures>
type Update = FailureCounts['update']

/** The memory's counts with some of their methods replaced. */
export const brokenCounts = (
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (counts: FailureCounts, clock: Clock) => Partial<FailureCounts>,
): BrokenCounts => ({
  breaks,
  caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
  open: (clock, keptAtMost) => {
    const counts = memoryFailureCounts(clock, keptAtMost)
    return { ...counts, ...methods(counts, clock) }
  },
})

/** Counts that keep something else than was decided. */
export const keeping =
  (alter: (kept: Known, known: Known) => Known) =>
  (counts: FailureCounts): { update: Update } => ({
    update: (key, decide) =>
      counts.update(key, (known) => {
        const { kept, answer } = decide(known)
        return { kept: alter(kept, known), answer }
      }),
  })

/** Counts that let something else decide than what is kept. */
export const knowing =
  (alter: (known: Known, key: string, now: number) => Known) =>
  (counts: FailureCounts, clock: Clock): { update: Update } => ({
    update: (key, decide) => counts.update(key, (known) => decide(alter(known, key, clock()))),
  })

/** Counts that take one key for another. */
export const under =
  (alter: (key: string) => string) =>
  (counts: FailureCounts): { update: Update } => ({
    update: (key, decide) => counts.update(alter(key), decide),
  })

/** Counts that look at what is kept long before they keep something else. */
export const lookingEarly = (counts: FailureCounts): { update: Update } => ({
  update: (key, decide) => async () => {
    const known = await counts.update(key, (kept) => ({ kept, answer: kept }))()
    if (known._tag === 'Left') return known
    await turn()
    const { kept, answer } = decide(known.right)
    return counts.update(key, () => ({ kept, answer }))()
  },
})

/** Counts that begin what they are asked for a turn later. */
export const beginningLate = (counts: FailureCounts): { update: Update } => ({
  update: (key, decide) => async () => {
    await turn()
    return counts.update(key, decide)()
  },
})

/** Counts in a map that make room in a way of their own. */
export const inMap =
  (makeRoom: (kept: Map<string, Failures>, keptAtMost: number, isNew: string | undefined) => void) =>
  (_: Clock, keptAtMost: number): FailureCounts => {
    const counts = new Map<string, Failures>()
    return {
      update: (key, decide) => async () => {
        const isNew = !counts.has(key)
        const { kept, answer } = decide(O.fromNullable(counts.get(key)))
        if (O.isNone(kept)) counts.delete(key)
        else counts.set(key, kept.value)
        if (counts.size > keptAtMost) makeRoom(counts, keptAtMost, isNew ? key : undefined)
        return right(answer)
      },
      close: async () => {},
    }
  }

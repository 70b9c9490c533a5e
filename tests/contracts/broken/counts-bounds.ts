import { right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { memoryFailureCounts } from '../../../adapters/stores/memory/failure-counts.ts'
import { KEPT_AT_MOST } from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { keepingAtMost } from '../../testkit/failure-counts/steps.ts'
import type { KeptAtMost } from '../../testkit/failure-counts.ts'
import { knowing, type MutateCounts, ofKind } from './counts.ts'
import { caughtBy } from './harness.ts'

const caught = caughtBy<MutateCounts>

const FIRST_TO_GO = 'drops the earliest forgottenFrom first'
const OF_REPEATED = 'of repeated failures, drops the earliest forgottenFrom first'

/** Stores all in a map with another eviction rule. */
const inMap =
  (makeRoom: (kept: Map<string, Failures>, keptAtMost: number, newest?: string) => void): MutateCounts =>
  (_, __, { account: keptAtMost }) => {
    const all = new Map<string, Failures>()
    return {
      update:
        ({ key }, decide) =>
        async () => {
          const isNew = !all.has(key)
          const { kept, answer } = decide(O.fromNullable(all.get(key)))
          if (O.isNone(kept)) all.delete(key)
          else all.set(key, kept.value)
          if (all.size > keptAtMost) makeRoom(all, keptAtMost, isNew ? key : undefined)
          return right(answer)
        },
    }
  }

/** Drops the excess in this order, and a few more. */
const removing =
  (order: (one: Failures, other: Failures) => number, more = 200) =>
  (kept: Map<string, Failures>, keptAtMost: number): void => {
    const inOrder = [...kept].sort(([, one], [, other]) => order(one, other))
    for (const [key] of inOrder.slice(0, kept.size - keptAtMost + more)) kept.delete(key)
  }

const byEnd = (one: Failures, other: Failures): number => one.forgottenFrom - other.forgottenFrom

const sameForAll = (limit: number): KeptAtMost =>
  Object.fromEntries(Object.keys(KEPT_AT_MOST).map((kind) => [kind, limit])) as KeptAtMost

/** Counts that keep too few, too many, or the wrong ones. */
export const COUNT_BOUND_MUTATIONS = [
  ...caught('as many keys as the maximum are kept', {
    'keeps one key less': (_, clock, { account }) => memoryFailureCounts(clock, keepingAtMost(account - 1)),
  }),
  ...caught('keys beyond twice the maximum are dropped', {
    'keeps every key': (_, clock) => memoryFailureCounts(clock, keepingAtMost(Number.POSITIVE_INFINITY)),
  }),
  ...caught('counts of one failure are dropped first, however late they end', {
    'looks only at the end of a count': inMap(removing(byEnd)),
  }),
  ...caught('new keys get their second failure when all others have two', {
    'drops one key for each new one': inMap(
      removing((one, other) => Math.min(one.count, 2) - Math.min(other.count, 2) || byEnd(one, other), 0),
    ),
  }),
  ...caught(/^a flood of one kind leaves the counts of all others: /, {
    'has one room for all kinds': (counts, ...given) => ofKind('account')(counts, ...given),
  }),
  ...caught(/^a kind without a limit drops no count before it ends: /, {
    'has a limit for every kind': (_, clock, { account }) => memoryFailureCounts(clock, sameForAll(account)),
  }),
  ...caught([FIRST_TO_GO, OF_REPEATED, 'an expired key frees a place'], {
    'takes no new key when it is full': inMap((counts, _, newest) => {
      if (newest !== undefined) counts.delete(newest)
    }),
  }),
  ...caught('a count lasts until forgottenFrom, to the millisecond, while other keys change', {
    'forgets one millisecond early': knowing((known, _, now) =>
      O.filter(({ forgottenFrom }: Failures) => now + 1 < forgottenFrom)(known),
    ),
  }),
]

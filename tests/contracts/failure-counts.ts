import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { boundCases } from './failure-counts/bounds.ts'
import { closingCases } from './failure-counts/closing.ts'
import { concurrencyCases } from './failure-counts/concurrency.ts'
import { keyCases } from './failure-counts/keys.ts'
import { KEPT_IN_CASES, NOW } from './failure-counts/steps.ts'
import { updateCases } from './failure-counts/updates.ts'
import type { Runner } from './store.ts'

/**
 * Makes fresh, empty counts that share nothing with any others.
 *
 * They go by this clock and keep so many keys, a number small enough to be reached within a test. `close` is called when a
 * case is over and the counts themselves are closed, to clean up what was laid out for them.
 */
export type OpenFailureCounts = (
  clock: Clock,
  keptAtMost: number,
) => Promise<Readonly<{ counts: FailureCounts; close?: () => Promise<void> }>>

/** One case: a sentence and what it takes to be true, on counts of its own whose clock can be set. */
export type Check = (name: string, body: (counts: FailureCounts, clock: SetClock) => Promise<void>) => void
export type SetClock = Readonly<{ set: (milliseconds: number) => void }>

/**
 * Everything that `FailureCounts` promises and that can be seen from outside, for any there are.
 *
 * What it cannot see: that counts outlive a restart, and several processes on one store.
 */
export const failureCountsContract = ({ describe, it }: Runner, open: OpenFailureCounts): void => {
  const check: Check = (name, body) => {
    it(name, async () => {
      let now = NOW
      const { counts, close } = await open(() => now, KEPT_IN_CASES)
      try {
        await body(counts, {
          set: (milliseconds) => {
            now = milliseconds
          },
        })
      } finally {
        await counts.close()
        await close?.()
      }
    })
  }

  describe('an update', () => updateCases(check))
  describe('keys', () => keyCases(check))
  describe('several updates at once', () => concurrencyCases(check))
  describe('how much is kept', () => boundCases(check))
  describe('closing', () => closingCases(check))
}

import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { boundCases } from './failure-counts/bounds.ts'
import { closingCases } from './failure-counts/closing.ts'
import { concurrencyCases } from './failure-counts/concurrency.ts'
import { keyCases } from './failure-counts/keys.ts'
import { lastingCases } from './failure-counts/lasting.ts'
import { sharedCases } from './failure-counts/shared.ts'
import { KEPT_IN_CASES, NOW } from './failure-counts/steps.ts'
import { updateCases } from './failure-counts/updates.ts'
import { type CaseOf, casesOn, casesOnLasting, casesOnShared } from './frames.ts'
import type { Runner } from './runner.ts'

/**
 * Makes fresh, empty counts that share nothing with any others.
 *
 * They go by this clock and keep so many keys, a number small enough to be reached within a test. `close` is called when a
 * case is over and the counts themselves are closed, to clean up what was laid out for them.
 */
export type OpenFailureCounts = (clock: Clock, keptAtMost: number) => Promise<OpenedFailureCounts>
export type OpenedFailureCounts = Readonly<{ counts: FailureCounts; close?: () => Promise<void> }>

/**
 * Makes fresh, empty counts that outlive their closing. `reopen` is called once they are closed, perhaps several times in one
 * case. It opens what was laid out once more.
 */
export type OpenLastingFailureCounts = (
  clock: Clock,
  keptAtMost: number,
) => Promise<OpenedFailureCounts & Readonly<{ reopen: () => Promise<FailureCounts> }>>

/**
 * Makes fresh, empty counts that several processes may use at once. `another` is called while they are open, perhaps several
 * times. It opens one more handle on the same counts, that shares with the others no more than those of other processes would.
 */
export type OpenSharedFailureCounts = (
  clock: Clock,
  keptAtMost: number,
) => Promise<OpenedFailureCounts & Readonly<{ another: () => Promise<FailureCounts> }>>

/**
 * What counts may rightly be able to do or not, as the store that they stand beside. Each is declared by giving what it takes
 * to see it; of what is not declared no case is registered.
 */
export type FailureCountsCapabilities = Readonly<{
  /** Closed and opened again, they hold what they held. */
  lasting?: OpenLastingFailureCounts
  /** Several processes may use them at once. */
  shared?: OpenSharedFailureCounts
}>

/** One case: a sentence and what it takes to be true, on counts of its own whose clock can be set. */
export type Check = CaseOf<[counts: FailureCounts, clock: SetClock]>
export type SetClock = Readonly<{ set: (milliseconds: number) => void }>

/**
 * Everything that `FailureCounts` promises and that can be seen from outside, for any there are. The names of the cases stay
 * the same from version to version.
 *
 * @param open is called once a case
 */
export const failureCountsContract = (
  { describe, it }: Runner,
  open: OpenFailureCounts,
  { lasting, shared }: FailureCountsCapabilities = {},
): void => {
  const check: Check = (name, body) => {
    let now = NOW
    const set = (milliseconds: number) => {
      now = milliseconds
    }
    const opening = () => open(() => now, KEPT_IN_CASES)
    casesOn({ describe, it }, named(opening), (counts) => counts.close())(name, (counts) =>
      body(counts, { set }),
    )
  }

  describe('an update', () => updateCases(check))
  describe('keys', () => keyCases(check))
  describe('several updates at once', () => concurrencyCases(check))
  describe('how much is kept', () => boundCases(check))
  describe('closing', () => closingCases(check))
  if (lasting !== undefined) lastingFailureCountsContract({ describe, it }, lasting)
  if (shared !== undefined) sharedFailureCountsContract({ describe, it }, shared)
}

/** One case of counts that last: `again` closes those that are open and opens them once more. */
export type LastingCheck = CaseOf<[counts: FailureCounts, again: () => Promise<FailureCounts>]>

/** What is promised of counts that are closed and opened again. */
export const lastingFailureCountsContract = (runner: Runner, open: OpenLastingFailureCounts): void => {
  const check = casesOnLasting(
    runner,
    named(() => open(() => NOW, KEPT_IN_CASES)),
  )
  runner.describe('closed and opened again', () => lastingCases(check))
}

/** One case of counts that are shared: three handles on the same counts. */
export type SharedCheck = CaseOf<[one: FailureCounts, other: FailureCounts, third: FailureCounts]>

/** What is promised of several handles on the same counts. */
export const sharedFailureCountsContract = (runner: Runner, open: OpenSharedFailureCounts): void => {
  const check = casesOnShared(
    runner,
    named(() => open(() => NOW, KEPT_IN_CASES)),
  )
  runner.describe('several handles on the same counts', () => sharedCases(check))
}

/** What was opened, with the name that the frames of all contracts have for it. */
const named =
  <Opened extends OpenedFailureCounts>(open: () => Promise<Opened>) =>
  async () => {
    const opened = await open()
    return { ...opened, adapter: opened.counts }
  }

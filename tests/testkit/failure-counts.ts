import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts, KEPT_AT_MOST } from '../../application/ports/failure-counts.ts'
import { boundCases } from './failure-counts/bounds.ts'
import { closingCases } from './failure-counts/closing.ts'
import { concurrencyCases } from './failure-counts/concurrency.ts'
import { keyCases } from './failure-counts/keys.ts'
import { lastingCases } from './failure-counts/lasting.ts'
import { sharedCases } from './failure-counts/shared.ts'
import { KEPT_IN_CASES, keepingAtMost, NOW } from './failure-counts/steps.ts'
import { updateCases } from './failure-counts/updates.ts'
import { type CaseOf, casesOn, casesOnLasting, casesOnShared } from './frames.ts'
import { ifDeclared, type Runner } from './runner.ts'

/**
 * Opens new, empty counts that share nothing with others.
 *
 * They use this clock, and this table in place of `KEPT_AT_MOST`: its limits are low enough to reach within a case. The suite calls
 * `close` at the end of a case, after it has closed the counts. Remove files or databases there.
 */
export type OpenFailureCounts = (clock: Clock, keptAtMost: KeptAtMost) => Promise<OpenedFailureCounts>
export type KeptAtMost = typeof KEPT_AT_MOST
export type OpenedFailureCounts = Readonly<{ counts: FailureCounts; close?: () => Promise<void> }>

/**
 * Opens new, empty counts that survive closing. The suite calls `reopen` after it has closed them, in some cases several times. It opens
 * the same counts again.
 */
export type OpenLastingFailureCounts = (
  clock: Clock,
  keptAtMost: KeptAtMost,
) => Promise<OpenedFailureCounts & Readonly<{ reopen: () => Promise<FailureCounts> }>>

/**
 * Opens new, empty counts that several processes may use at once. The suite calls `another` while they are open, in some cases several
 * times. It opens one more handle on the same counts. It shares no memory or connection with the first handle.
 */
export type OpenSharedFailureCounts = (
  clock: Clock,
  keptAtMost: KeptAtMost,
) => Promise<OpenedFailureCounts & Readonly<{ another: () => Promise<FailureCounts> }>>

/** Optional capabilities. Pass a function to test one. */
export type FailureCountsCapabilities = Readonly<{
  /** Counts survive closing. */
  lasting?: OpenLastingFailureCounts
  /** Several processes may use them at once. */
  shared?: OpenSharedFailureCounts
}>

/** Registers a case with its own counts, whose clock can be set. */
export type Check = CaseOf<[counts: FailureCounts, clock: SetClock]>
export type SetClock = Readonly<{ set: (milliseconds: number) => void }>

/**
 * The contract suite of `FailureCounts`.
 *
 * @param open is called once for each case
 */
export const failureCountsContract = (
  runner: Runner,
  open: OpenFailureCounts,
  { lasting, shared }: FailureCountsCapabilities = {},
): void => {
  const { describe } = runner
  const check: Check = (name, body) => {
    let now = NOW
    const set = (milliseconds: number) => {
      now = milliseconds
    }
    const opening = () => open(() => now, KEPT)
    casesOn(runner, named(opening), (counts) => counts.close())(name, (counts) => body(counts, { set }))
  }

  describe('an update', () => updateCases(check))
  describe('keys', () => keyCases(check))
  describe('several updates at once', () => concurrencyCases(check))
  describe('how much is kept', () => boundCases(check))
  describe('closing', () => closingCases(check))
  ifDeclared(runner, 'lasting', lasting, (opening) => lastingFailureCountsContract(runner, opening))
  ifDeclared(runner, 'shared', shared, (opening) => sharedFailureCountsContract(runner, opening))
}

/** Registers a case in which `again` closes the counts and opens them again. */
export type LastingCheck = CaseOf<[counts: FailureCounts, again: () => Promise<FailureCounts>]>

/** The cases of counts that survive closing. */
export const lastingFailureCountsContract = (runner: Runner, open: OpenLastingFailureCounts): void => {
  const check = casesOnLasting(
    runner,
    named(() => open(() => NOW, KEPT)),
  )
  runner.describe('closed and opened again', () => lastingCases(check))
}

/** Registers a case with three handles on the same counts. */
export type SharedCheck = CaseOf<[one: FailureCounts, other: FailureCounts, third: FailureCounts]>

/** The cases of several handles on the same counts. */
export const sharedFailureCountsContract = (runner: Runner, open: OpenSharedFailureCounts): void => {
  const check = casesOnShared(
    runner,
    named(() => open(() => NOW, KEPT)),
  )
  runner.describe('several handles on the same counts', () => sharedCases(check))
}

const KEPT: KeptAtMost = keepingAtMost(KEPT_IN_CASES)

/** Renames the opened counts for the helpers that all suites share. */
const named =
  <Opened extends OpenedFailureCounts>(open: () => Promise<Opened>) =>
  async () => {
    const opened = await open()
    return { ...opened, adapter: opened.counts }
  }

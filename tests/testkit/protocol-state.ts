import type { ENTRIES_KEPT_AT_MOST, ProtocolState } from '../../application/ports/protocol-state.ts'
import { type CaseOf, casesOn, casesOnLasting, casesOnShared } from './frames.ts'
import { boundCases } from './protocol-state/bounds.ts'
import { closingCases } from './protocol-state/closing.ts'
import { consumingCases } from './protocol-state/consuming.ts'
import { entryCases } from './protocol-state/entries.ts'
import { lastingCases } from './protocol-state/lasting.ts'
import { removalCases } from './protocol-state/removals.ts'
import { replacingCases } from './protocol-state/replacing.ts'
import { sharedCases } from './protocol-state/shared.ts'
import { KEPT_IN_CASES, keepingAtMost } from './protocol-state/steps.ts'
import { surplusCases } from './protocol-state/surplus.ts'
import { ifDeclared, type Runner } from './runner.ts'

/**
 * Opens a new, empty protocol state that shares nothing with others.
 *
 * It uses this table in place of `ENTRIES_KEPT_AT_MOST`: its limits are low enough to reach within a case. The suite calls `close` at the
 * end of a case, after it has closed the state. Remove files or databases there.
 */
export type OpenProtocolState = (keptAtMost: EntriesKeptAtMost) => Promise<OpenedProtocolState>
export type EntriesKeptAtMost = typeof ENTRIES_KEPT_AT_MOST
export type OpenedProtocolState = Readonly<{ state: ProtocolState; close?: () => Promise<void> }>

/** Opens a new, empty state that survives closing. `reopen` opens the closed state again. */
export type OpenLastingProtocolState = (
  keptAtMost: EntriesKeptAtMost,
) => Promise<OpenedProtocolState & Readonly<{ reopen: () => Promise<ProtocolState> }>>

/**
 * Opens a new, empty state that several processes may use at once. `another` opens one more handle on it, which shares no memory or
 * connection with the first one.
 */
export type OpenSharedProtocolState = (
  keptAtMost: EntriesKeptAtMost,
) => Promise<OpenedProtocolState & Readonly<{ another: () => Promise<ProtocolState> }>>

/** Optional capabilities. Pass a function to test one. */
export type ProtocolStateCapabilities = Readonly<{
  /** Entries survive closing. */
  lasting?: OpenLastingProtocolState
  /** Several processes may use the state at once. */
  shared?: OpenSharedProtocolState
}>

/** Registers a case with a state of its own. */
export type Check = CaseOf<[state: ProtocolState]>

/**
 * The contract suite of `ProtocolState`.
 *
 * @param open is called once for each case
 */
export const protocolStateContract = (
  runner: Runner,
  open: OpenProtocolState,
  { lasting, shared }: ProtocolStateCapabilities = {},
): void => {
  const { describe } = runner
  const check: Check = casesOn(
    runner,
    named(() => open(KEPT)),
    (state) => state.close(),
  )

  describe('entries', () => entryCases(check))
  describe('consuming', () => consumingCases(check))
  describe('replacing', () => replacingCases(check))
  describe('how many of a session are kept', () => surplusCases(check))
  describe('removals', () => removalCases(check))
  describe('how much is kept', () => boundCases(check))
  describe('closing', () => closingCases(check))
  ifDeclared(runner, 'lasting', lasting, (opening) => lastingProtocolStateContract(runner, opening))
  ifDeclared(runner, 'shared', shared, (opening) => sharedProtocolStateContract(runner, opening))
}

/** Registers a case in which `again` closes the state and opens it again. */
export type LastingCheck = CaseOf<[state: ProtocolState, again: () => Promise<ProtocolState>]>

/** The cases of a state that survives closing. */
export const lastingProtocolStateContract = (runner: Runner, open: OpenLastingProtocolState): void => {
  const check = casesOnLasting(
    runner,
    named(() => open(KEPT)),
  )
  runner.describe('closed and opened again', () => lastingCases(check))
}

/** Registers a case with three handles on the same state. */
export type SharedCheck = CaseOf<[one: ProtocolState, other: ProtocolState, third: ProtocolState]>

/** The cases of several handles on the same state. */
export const sharedProtocolStateContract = (runner: Runner, open: OpenSharedProtocolState): void => {
  const check = casesOnShared(
    runner,
    named(() => open(KEPT)),
  )
  runner.describe('several handles on the same state', () => sharedCases(check))
}

const KEPT: EntriesKeptAtMost = keepingAtMost(KEPT_IN_CASES)

/** Renames the opened state for the helpers that all suites share. */
const named =
  <Opened extends OpenedProtocolState>(open: () => Promise<Opened>) =>
  async () => {
    const opened = await open()
    return { ...opened, adapter: opened.state }
  }

import type { Outbox } from '../../application/ports/outbox.ts'
import type { Store } from '../../application/ports/store.ts'
import { type CaseOf, casesOn, casesOnLasting, casesOnShared } from './frames.ts'
import { addingCases } from './outbox/adding.ts'
import { changeCases } from './outbox/changes.ts'
import { claimCases } from './outbox/claims.ts'
import { closingCases } from './outbox/closing.ts'
import { lastingCases } from './outbox/lasting.ts'
import { operatorCases } from './outbox/operators.ts'
import { settlingCases } from './outbox/settling.ts'
import { sharedCases } from './outbox/shared.ts'
import { ifDeclared, type Runner } from './runner.ts'

/** An outbox, and the store that writes its mails with changes. */
export type Mailing = Readonly<{ store: Store; outbox: Outbox }>

/** Opens a new, empty storage. The suite calls `close` at the end of a case, after it has closed the store. */
export type OpenOutbox = () => Promise<OpenedOutbox>
export type OpenedOutbox = Mailing & Readonly<{ close?: () => Promise<void> }>

/** Opens a new, empty storage that survives closing. `reopen` opens the closed storage again. */
export type OpenLastingOutbox = () => Promise<OpenedOutbox & Readonly<{ reopen: () => Promise<Mailing> }>>

/** Opens a new, empty storage that several processes may use at once. `another` opens one more handle on it. */
export type OpenSharedOutbox = () => Promise<OpenedOutbox & Readonly<{ another: () => Promise<Mailing> }>>

export type OutboxCapabilities = Readonly<{ lasting?: OpenLastingOutbox; shared?: OpenSharedOutbox }>

/** Registers a case with an outbox of its own. */
export type Check = CaseOf<[mailing: Mailing]>

/** The contract suite of `Outbox`, and of the mails of a change. No case waits for a lease to end. */
export const outboxContract = (
  runner: Runner,
  open: OpenOutbox,
  { lasting, shared }: OutboxCapabilities = {},
): void => {
  const { describe } = runner
  const check: Check = casesOn<Closable>(
    runner,
    () => named(open),
    (mailing) => mailing.close(),
  )

  describe('adding', () => addingCases(check))
  describe('claims', () => claimCases(check))
  describe('what a sender has done with', () => settlingCases(check))
  describe('what operators do', () => operatorCases(check))
  describe('the mails of a change', () => changeCases(check))
  describe('closing', () => closingCases(check))
  ifDeclared(runner, 'lasting', lasting, (opening) => lastingOutboxContract(runner, opening))
  ifDeclared(runner, 'shared', shared, (opening) => sharedOutboxContract(runner, opening))
}

/** Registers a case in which `again` closes the storage and opens it again. */
export type LastingCheck = CaseOf<[mailing: Mailing, again: () => Promise<Mailing>]>

/** The cases of an outbox that survives closing. */
export const lastingOutboxContract = (runner: Runner, open: OpenLastingOutbox): void => {
  const check: LastingCheck = casesOnLasting<Closable>(runner, async () => {
    const opened = await open()
    return { ...(await named(async () => opened)), reopen: async () => closable(await opened.reopen()) }
  })
  runner.describe('closed and opened again', () => lastingCases(check))
}

/** Registers a case with three handles on the same outbox. */
export type SharedCheck = CaseOf<[one: Mailing, other: Mailing, third: Mailing]>

/** The cases of several handles on the same outbox. */
export const sharedOutboxContract = (runner: Runner, open: OpenSharedOutbox): void => {
  const check: SharedCheck = casesOnShared<Closable>(runner, async () => {
    const opened = await open()
    return { ...(await named(async () => opened)), another: async () => closable(await opened.another()) }
  })
  runner.describe('several handles on the same outbox', () => sharedCases(check))
}

type Closable = Mailing & Readonly<{ close: () => Promise<void> }>

const closable = ({ store, outbox }: Mailing): Closable => ({ store, outbox, close: () => store.close() })

/** Names an opened storage as the helpers of all suites do. */
const named = async (open: OpenOutbox) => {
  const { close, ...mailing } = await open()
  return { adapter: closable(mailing), ...(close === undefined ? {} : { close }) }
}

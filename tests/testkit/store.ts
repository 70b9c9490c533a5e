import type { Store } from '../../application/ports/store.ts'
import { type CaseOf, casesOnLasting, casesOnShared, casesOnStore, storeOf } from './frames.ts'
import { ifDeclared, type Runner } from './runner.ts'
import { atomicityCases } from './store/atomicity.ts'
import { closingCases } from './store/closing.ts'
import { comparedRowCases, sharedComparedRowCases } from './store/compared-rows.ts'
import { emailCases } from './store/emails.ts'
import { epochCases } from './store/epoch.ts'
import { eventCases } from './store/events.ts'
import { expiredRowCases, sharedExpiredRowCases } from './store/expired-rows.ts'
import { factorCases, sharedFactorCases } from './store/factors.ts'
import { failingCases, losingCases } from './store/failing.ts'
import { knownUserCases } from './store/known-users.ts'
import { lastingCases } from './store/lasting.ts'
import { listingCases } from './store/listing.ts'
import { lookUpCases } from './store/look-ups.ts'
import { oneTimeTokenCases, sharedOneTimeTokenCases } from './store/one-time-tokens.ts'
import { ownObjectCases } from './store/own-objects.ts'
import { passwordSchemeCases } from './store/password-schemes.ts'
import { positionCases } from './store/positions.ts'
import { recordCases } from './store/records.ts'
import { repetitionCases } from './store/repetition.ts'
import { revokedTokenCases } from './store/revoked-tokens.ts'
import { rowOrderCases } from './store/rows-in-order.ts'
import { sessionApplicationCases } from './store/session-applications.ts'
import { labelCases } from './store/session-labels.ts'
import { sessionCases } from './store/sessions.ts'
import { sharedCases } from './store/shared.ts'
import { sharedRaceCases } from './store/shared-races.ts'
import { userSearchCases } from './store/user-searches.ts'
import { userCases } from './store/users.ts'
import { sharedVersionCases, sharedVersionRaceCases, versionCases } from './store/versions.ts'
import { whileAnotherWritesCases, whileWritingCases } from './store/while-writing.ts'
import { writabilityCases } from './store/writability.ts'

export type { Runner } from './runner.ts'

/**
 * Opens a new, empty store that shares nothing with others.
 *
 * The suite calls `close` at the end of a case, after it has closed the store. Remove files or databases there.
 */
export type OpenStore = () => Promise<OpenedStore>
export type OpenedStore = Readonly<{ store: Store; close?: () => Promise<void> }>

/**
 * Opens a new, empty store whose data survives closing.
 *
 * The suite calls `reopen` after it has closed the store, in some cases several times. It opens the same store again.
 */
export type OpenLastingStore = () => Promise<OpenedStore & Readonly<{ reopen: () => Promise<Store> }>>

/**
 * Opens a new, empty store that several processes may use at once.
 *
 * The suite calls `another` while the store is open, in some cases several times. It opens one more handle on the same store. It shares
 * no memory or connection with the first handle.
 */
export type OpenSharedStore = () => Promise<OpenedStore & Readonly<{ another: () => Promise<Store> }>>

/**
 * Opens a new, empty store that the suite can break.
 *
 * - `fail` breaks it: its server is away, its disk is full, or its tables are gone. From then on no commit may succeed. A read may.
 * - `mend` repairs it. The suite calls it once, in some cases without a failure. It resolves to the store to use next: the same one, or
 *   one that it opened again.
 */
export type OpenFailingStore = () => Promise<
  OpenedStore & Readonly<{ fail: () => Promise<void>; mend: () => Promise<Store> }>
>

/**
 * Opens a new, empty store whose answer to a commit can be lost.
 *
 * - `loseAnswer` makes the next commit write its change and lose the answer. For example, the connection ends before the answer, or the
 *   disk reports an error after the write. The changes of that commit have rows. Of several concurrent commits, some may get answers.
 * - `mend` repairs it, as in `OpenFailingStore`.
 */
export type OpenLosingStore = () => Promise<
  OpenedStore & Readonly<{ loseAnswer: () => Promise<void>; mend: () => Promise<Store> }>
>

/**
 * Optional capabilities. Pass a function to test one. One function that returns all helpers can serve for all of them.
 */
export type StoreCapabilities = Readonly<{
  /** Data survives closing. */
  lasting?: OpenLastingStore
  /** Several processes may use it at once. */
  shared?: OpenSharedStore
  /** It can fail. A store in the memory of the process cannot. */
  failing?: OpenFailingStore
  /** The answer to a commit can be lost, for example with its connection. */
  losing?: OpenLosingStore
}>

/** Registers a case with its own store. */
export type Check = CaseOf<[store: Store]>

/**
 * The contract suite of `Store`. It cannot test that a commit survives a crash.
 *
 * @param open is called once for each case
 */
export const storeContract = (
  runner: Runner,
  open: OpenStore,
  { lasting, shared, failing, losing }: StoreCapabilities = {},
): void => {
  const { describe } = runner
  const check: Check = casesOnStore(runner, open)

  describe('records', () => recordCases(check))
  describe('look-ups', () => lookUpCases(check))
  describe('sessions of a user', () => sessionCases(check))
  describe('labels of sessions', () => labelCases(check))
  describe('applications of sessions', () => sessionApplicationCases(check))
  describe('revoked tokens', () => revokedTokenCases(check))
  describe('users', () => userCases(check))
  describe('searches of users', () => userSearchCases(check))
  describe('known users', () => knownUserCases(check))
  describe('one-time tokens', () => oneTimeTokenCases(check))
  describe('factors', () => factorCases(check))
  describe('expired rows', () => expiredRowCases(check))
  describe('rows of a table', () => listingCases(check))
  describe('objects of its own', () => ownObjectCases(check))
  describe('events', () => eventCases(check))
  describe('positions', () => positionCases(check))
  describe('the epoch', () => epochCases(check))
  describe('all or nothing', () => atomicityCases(check))
  describe('while a change is written', () => whileWritingCases(check))
  describe('password schemes', () => passwordSchemeCases(check))
  describe('versions', () => versionCases(check))
  describe('compared rows', () => comparedRowCases(check))
  describe('e-mails', () => emailCases(check))
  describe('rows of one change', () => rowOrderCases(check))
  describe('the same change again', () => repetitionCases(check))
  describe('writing at all', () => writabilityCases(check))
  describe('closing', () => closingCases(check))
  ifDeclared(runner, 'lasting', lasting, (opening) => lastingStoreContract(runner, opening))
  ifDeclared(runner, 'shared', shared, (opening) => sharedStoreContract(runner, opening))
  ifDeclared(runner, 'failing', failing, (opening) => failingStoreContract(runner, opening))
  ifDeclared(runner, 'losing', losing, (opening) => losingStoreContract(runner, opening))
}

/** Registers a case in which `again` closes the store and opens it again. */
export type LastingCheck = CaseOf<[store: Store, again: () => Promise<Store>]>

/** The cases of a store whose data survives closing. */
export const lastingStoreContract = (runner: Runner, open: OpenLastingStore): void =>
  void runner.describe('closed and opened again', () => lastingCases(casesOnLasting(runner, storeOf(open))))

/** Registers a case with three handles on one store. */
export type SharedCheck = CaseOf<[one: Store, other: Store, third: Store]>

/** The cases of several handles on one store. */
export const sharedStoreContract = (runner: Runner, open: OpenSharedStore): void => {
  const check: SharedCheck = casesOnShared(runner, storeOf(open))
  runner.describe('several handles on one store', () => {
    sharedCases(check)
    sharedVersionCases(check)
    sharedExpiredRowCases(check)
  })
  runner.describe('several handles that write at once', () => {
    sharedRaceCases(check)
    sharedVersionRaceCases(check)
    whileAnotherWritesCases(check)
    sharedOneTimeTokenCases(check)
    sharedFactorCases(check)
    sharedComparedRowCases(check)
  })
}

/** Registers a case whose store can be mended. */
type MendableCheck<Opened> = CaseOf<[opened: Opened]>

/** One case of a store that fails when it is told to. */
export type FailingCheck = MendableCheck<Awaited<ReturnType<OpenFailingStore>>>

/** One case of a store that loses an answer when it is told to. */
export type LosingCheck = MendableCheck<Awaited<ReturnType<OpenLosingStore>>>

/** The cases of a store that fails. */
export const failingStoreContract = ({ describe, it }: Runner, open: OpenFailingStore): void =>
  void describe('while the store fails', () => failingCases(mendable(it, open)))

/** The cases of a commit whose answer is lost. */
export const losingStoreContract = ({ describe, it }: Runner, open: OpenLosingStore): void =>
  void describe('a lost answer', () => losingCases(mendable(it, open)))

/** Mends the store of each case once, at the latest at the end, so that it can be closed. */
const mendable =
  <Opened extends OpenedStore & Readonly<{ mend: () => Promise<Store> }>>(
    it: Runner['it'],
    open: () => Promise<Opened>,
  ): MendableCheck<Opened> =>
  (name, body) => {
    it(name, async () => {
      const opened = await open()
      let mended: Promise<Store> | undefined
      const mend = () => {
        mended ??= opened.mend()
        return mended
      }
      try {
        await body({ ...opened, mend })
      } finally {
        const store = await mend()
        await store.close()
        await opened.store.close()
        await opened.close?.()
      }
    })
  }

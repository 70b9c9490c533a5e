import type { Store } from '../../application/ports/store.ts'
import { type CaseOf, casesOn, casesOnLasting, casesOnShared } from './frames.ts'
import type { Runner } from './runner.ts'
import { atomicityCases } from './store/atomicity.ts'
import { closingCases } from './store/closing.ts'
import { emailCases } from './store/emails.ts'
import { epochCases } from './store/epoch.ts'
import { eventCases } from './store/events.ts'
import { expiredRowCases, sharedExpiredRowCases } from './store/expired-rows.ts'
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
import { sessionCases } from './store/sessions.ts'
import { sharedCases } from './store/shared.ts'
import { sharedRaceCases } from './store/shared-races.ts'
import { userCases } from './store/users.ts'
import { versionCases } from './store/versions.ts'
import { whileAnotherWritesCases, whileWritingCases } from './store/while-writing.ts'
import { writabilityCases } from './store/writability.ts'

export type { Runner } from './runner.ts'

/**
 * Makes a fresh, empty store that shares nothing with any other.
 *
 * `close` is called when a case is over and the store itself is closed, to clean up what was laid out for it.
 */
export type OpenStore = () => Promise<OpenedStore>
export type OpenedStore = Readonly<{ store: Store; close?: () => Promise<void> }>

/**
 * Makes a fresh, empty store that outlives its closing.
 *
 * `reopen` is called once the store is closed, perhaps several times in one case. It opens what was laid out once more.
 */
export type OpenLastingStore = () => Promise<OpenedStore & Readonly<{ reopen: () => Promise<Store> }>>

/**
 * Makes a fresh, empty store that several processes may use at once.
 *
 * `another` is called while the store is open, perhaps several times. It opens one more handle on the same store, that
 * shares with the others no more than those of other processes would: a connection or a file of its own.
 */
export type OpenSharedStore = () => Promise<OpenedStore & Readonly<{ another: () => Promise<Store> }>>

/**
 * Makes a fresh, empty store that can be made to fail.
 *
 * - `fail` makes it fail from then on: its server is away, its disk is full, its tables are gone. No commit may succeed then; a
 *   read may.
 * - `mend` is called once, perhaps when nothing has failed. It resolves to the store to go on with: the same one, or one that was
 *   opened anew.
 */
export type OpenFailingStore = () => Promise<
  OpenedStore & Readonly<{ fail: () => Promise<void>; mend: () => Promise<Store> }>
>

/**
 * Makes a fresh, empty store whose answer to a commit can be lost.
 *
 * - `loseAnswer` lets the answer to the next commit be lost once the change is written: the connection ends before the server
 *   could say so, or the disk reports an error when all is on it. The changes of that commit have rows. When several are
 *   committed at once, some of the answers may arrive.
 * - `mend` is called once, perhaps when nothing was lost. It resolves to the store to go on with: the same one, or one that was
 *   opened anew.
 */
export type OpenLosingStore = () => Promise<
  OpenedStore & Readonly<{ loseAnswer: () => Promise<void>; mend: () => Promise<Store> }>
>

/**
 * What a store may rightly be able to do or not. Each is declared by giving what it takes to see it; one function that gives
 * it all may stand for all. What is not declared is not put to the test, and no case of it is registered.
 */
export type StoreCapabilities = Readonly<{
  /** Closed and opened again, it holds what it held. A store without it forgets everything when it is closed. */
  lasting?: OpenLastingStore
  /** Several processes may use it at once. Whoever starts a second process on a store without it has two stores. */
  shared?: OpenSharedStore
  /** It can be made to fail. A store without it has nothing that fails, such as one in the memory of the process. */
  failing?: OpenFailingStore
  /** The answer to a commit can be lost. A store without it learns at once whether a change is written. */
  losing?: OpenLosingStore
}>

/** One case: a sentence and what it takes to be true, on a store of its own. */
export type Check = CaseOf<[store: Store]>

/**
 * Everything that `Store` promises and that can be seen from outside, for any store there is. The names of the cases stay
 * the same from version to version, so that one can be picked by its name.
 *
 * What it cannot see: that a commit survives a crash.
 *
 * @param open is called once a case
 */
export const storeContract = (
  { describe, it }: Runner,
  open: OpenStore,
  { lasting, shared, failing, losing }: StoreCapabilities = {},
): void => {
  const check: Check = casesOn({ describe, it }, named(open), (store) => store.close())

  describe('records', () => recordCases(check))
  describe('look-ups', () => lookUpCases(check))
  describe('sessions of a user', () => sessionCases(check))
  describe('applications of sessions', () => sessionApplicationCases(check))
  describe('revoked tokens', () => revokedTokenCases(check))
  describe('users', () => userCases(check))
  describe('known users', () => knownUserCases(check))
  describe('one-time tokens', () => oneTimeTokenCases(check))
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
  describe('e-mails', () => emailCases(check))
  describe('rows of one change', () => rowOrderCases(check))
  describe('the same change again', () => repetitionCases(check))
  describe('writing at all', () => writabilityCases(check))
  describe('closing', () => closingCases(check))
  if (lasting !== undefined) lastingStoreContract({ describe, it }, lasting)
  if (shared !== undefined) sharedStoreContract({ describe, it }, shared)
  if (failing !== undefined) failingStoreContract({ describe, it }, failing)
  if (losing !== undefined) losingStoreContract({ describe, it }, losing)
}

/** One case of a store that lasts: `again` closes the store that is open and opens it once more. */
export type LastingCheck = CaseOf<[store: Store, again: () => Promise<Store>]>

/** What is promised of a store that is closed and opened again. */
export const lastingStoreContract = (runner: Runner, open: OpenLastingStore): void =>
  void runner.describe('closed and opened again', () => lastingCases(casesOnLasting(runner, named(open))))

/** One case of a store that is shared: three handles on the same store. */
export type SharedCheck = CaseOf<[one: Store, other: Store, third: Store]>

/** What is promised of several handles on one store. */
export const sharedStoreContract = (runner: Runner, open: OpenSharedStore): void => {
  const check: SharedCheck = casesOnShared(runner, named(open))
  runner.describe('several handles on one store', () => {
    sharedCases(check)
    sharedExpiredRowCases(check)
  })
  runner.describe('several handles that write at once', () => {
    sharedRaceCases(check)
    whileAnotherWritesCases(check)
    sharedOneTimeTokenCases(check)
  })
}

/** What was opened, with the name that the frames of all contracts have for it. */
const named =
  <Opened extends OpenedStore>(open: () => Promise<Opened>) =>
  async () => {
    const opened = await open()
    return { ...opened, adapter: opened.store }
  }

/** One case of something that was opened and can be mended. */
type MendableCheck<Opened> = CaseOf<[opened: Opened]>

/** One case of a store that fails when it is told to. */
export type FailingCheck = MendableCheck<Awaited<ReturnType<OpenFailingStore>>>

/** One case of a store that loses an answer when it is told to. */
export type LosingCheck = MendableCheck<Awaited<ReturnType<OpenLosingStore>>>

/** What is promised of a store while it fails. */
export const failingStoreContract = ({ describe, it }: Runner, open: OpenFailingStore): void =>
  void describe('while the store fails', () => failingCases(mendable(it, open)))

/** What is promised of a commit whose answer is lost. */
export const losingStoreContract = ({ describe, it }: Runner, open: OpenLosingStore): void =>
  void describe('a lost answer', () => losingCases(mendable(it, open)))

/** The store of each case is mended once, in the end if not before, so that it can be closed. */
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

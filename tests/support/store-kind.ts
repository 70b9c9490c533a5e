import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import type { Storage } from '../../application/ports/storage.ts'
import type { Store, Table } from '../../application/ports/store.ts'
import type { KeptAtMost } from '../testkit/failure-counts.ts'
import type { EntriesKeptAtMost } from '../testkit/protocol-state.ts'

/** A fresh, empty store for one test: its DATABASE_URL and its removal. */
export type Place = Readonly<{ url: string; remove: () => Promise<void> }>

/** A store that fails, or loses the response to a commit, on request. */
export type FaultyStore = Readonly<{
  store: Store
  fail: () => Promise<void>
  loseAnswer: () => Promise<void>
  /** Ends both, and resolves with the store to continue with. */
  mend: () => Promise<Store>
  /** Called after the store is closed. */
  close?: () => Promise<void>
}>

/** One of the stores that a setting selects. */
export type StoreKind = Readonly<{
  name: string
  /** Whether several processes can use one, such as commands beside a server. */
  isShared: boolean
  layOut: () => Promise<Place>
  /** Its adapters, for tests of adapters only. */
  openStore: (url: string) => Promise<Store>
  /** An empty store on connections that outlast it, if that saves time. Only one may be open. `close` empties it. */
  openWarm?: () => Promise<Readonly<{ store: Store; close: () => Promise<void> }>>
  /** The same with the port that copies it, the outbox and the protocol state. */
  openCopyable: (
    url: string,
  ) => Promise<Required<Pick<Storage, 'store' | 'storeCopy' | 'outbox' | 'protocolState'>>>
  /** The same with real failures, or undefined if there are none. */
  openFaulty: ((url: string) => Promise<FaultyStore>) | undefined
  openFailureCounts: (url: string, clock: Clock, keptAtMost?: KeptAtMost) => Promise<FailureCounts>
  /** Closing it closes all that it has opened. */
  openProtocolState: (url: string, keptAtMost?: EntriesKeptAtMost) => Promise<ProtocolState>
  /** Its whole contents, read without the adapters. Equal results mean that nothing changed. */
  contents: (url: string) => Promise<Contents>
  /** Runs statements on it without the adapters. Each must change something. */
  spoil: (url: string, ...statements: ReadonlyArray<string>) => Promise<void>
  /** A copy of an unused store. */
  copy: (url: string) => Promise<Place>
}>

/** The raw rows of each table. */
export type Contents = Readonly<Record<'log' | Table, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** An adapter that closes what it was opened on. */
export const closedWith = <Adapter extends Readonly<{ close: () => Promise<void> }>>(
  adapter: Adapter,
  closeAll: () => Promise<void>,
): Adapter => ({
  ...adapter,
  close: async () => {
    await adapter.close()
    await closeAll()
  },
})

import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Store, Table } from '../../application/ports/store.ts'

/** A fresh, empty store for one test: what DATABASE_URL says of it, and how it is taken away again. */
export type Place = Readonly<{ url: string; remove: () => Promise<void> }>

/** A store on one place that fails, or loses the answer to a commit, when it is told to. */
export type FaultyStore = Readonly<{
  store: Store
  fail: () => Promise<void>
  loseAnswer: () => Promise<void>
  /** Ends both, and resolves to the store to go on with. */
  mend: () => Promise<Store>
  /** Once the store is closed. */
  close?: () => Promise<void>
}>

/** One of the stores that a setting chooses. */
export type StoreKind = Readonly<{
  name: string
  /** Whether several processes can be on one, such as commands beside a server. */
  isShared: boolean
  layOut: () => Promise<Place>
  /** Its adapters, for tests of those alone. */
  openStore: (url: string) => Promise<Store>
  /** The same, made to fail by real means: undefined where there are none. */
  openFaulty: ((url: string) => Promise<FaultyStore>) | undefined
  openFailureCounts: (url: string, clock: Clock, keptAtMost?: number) => Promise<FailureCounts>
  /** All there is in it, read past the adapters: where nothing has changed this is the same. */
  contents: (url: string) => Promise<Contents>
  /** Runs statements on it behind the back of everything, each of which has to change something. */
  spoil: (url: string, ...statements: ReadonlyArray<string>) => Promise<void>
  /** The same once more, of a store that nobody is on. */
  copy: (url: string) => Promise<Place>
}>

/** The rows of each table, as they stand there. */
export type Contents = Readonly<Record<'log' | Table, ReadonlyArray<Readonly<Record<string, unknown>>>>>

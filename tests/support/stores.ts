import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { memoryStore } from '../../adapters/memory/store.ts'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Store, Table } from '../../application/ports/store.ts'
import { contents, withRaw } from '../sqlite/raw.ts'

/** A fresh, empty store for one test: what DATABASE_URL says of it, and how it is taken away again. */
export type Place = Readonly<{ url: string; remove: () => Promise<void> }>

/** One of the stores that a setting chooses. */
export type StoreKind = Readonly<{
  name: string
  /** Whether several processes can be on one, such as commands beside a server. */
  isShared: boolean
  layOut: () => Promise<Place>
  /** Its adapters, for tests of those alone. */
  openStore: (url: string) => Promise<Store>
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

const nobodyCan = async (): Promise<never> => {
  throw new Error('nobody can reach into the memory of a process')
}

const pathOf = (url: string): string => url.slice('sqlite:'.length)

const layOutFile = async (): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-store-'))
  return {
    url: `sqlite:${join(folder, 'store.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const spoilFile = (path: string, statements: ReadonlyArray<string>): void =>
  withRaw(path, (db) => {
    for (const name of ['log_no_update', 'log_no_delete']) db.exec(`DROP TRIGGER IF EXISTS ${name}`)
    for (const statement of statements)
      if (db.prepare(statement).run().changes === 0) throw new Error(`it changed nothing: ${statement}`)
  })

/** Every store there is. Whatever a test says of stores it says of each of these, and of one that is added here. */
export const STORES: ReadonlyArray<StoreKind> = [
  {
    name: 'memory',
    isShared: false,
    layOut: async () => ({ url: 'memory:', remove: async () => {} }),
    openStore: async () => memoryStore(),
    openFailureCounts: async (_, clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost),
    contents: nobodyCan,
    spoil: nobodyCan,
    copy: nobodyCan,
  },
  {
    name: 'SQLite',
    isShared: true,
    layOut: layOutFile,
    openStore: async (url) => sqliteStore(pathOf(url)),
    openFailureCounts: async (url, clock, keptAtMost) => sqliteFailureCounts(pathOf(url), clock, keptAtMost),
    contents: async (url) => contents(pathOf(url)) as Contents,
    spoil: async (url, ...statements) => spoilFile(pathOf(url), statements),
    copy: async (url) => {
      const place = await layOutFile()
      await copyFile(pathOf(url), pathOf(place.url))
      return place
    },
  },
]

/** Those that outlive a process, and that several can be on. */
export const SHARED_STORES = STORES.filter(({ isShared }) => isShared)

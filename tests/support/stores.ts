import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { memoryStore } from '../../adapters/memory/store.ts'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Store } from '../../application/ports/store.ts'
import { contents } from '../sqlite/raw.ts'

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
  /** All there is in it, and its schema, read past the adapters: where nothing has changed this is the same. */
  contents: (url: string) => Promise<object>
}>

const pathOf = (url: string): string => url.slice('sqlite:'.length)

/** Every store there is. Whatever a test says of stores it says of each of these, and of one that is added here. */
export const STORES: ReadonlyArray<StoreKind> = [
  {
    name: 'memory',
    isShared: false,
    layOut: async () => ({ url: 'memory:', remove: async () => {} }),
    openStore: async () => memoryStore(),
    openFailureCounts: async (_, clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost),
    contents: async () => {
      throw new Error('nobody can look into the memory of another process')
    },
  },
  {
    name: 'SQLite',
    isShared: true,
    layOut: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portcullis-store-'))
      return {
        url: `sqlite:${join(folder, 'store.db')}`,
        remove: () => rm(folder, { recursive: true, force: true }),
      }
    },
    openStore: async (url) => sqliteStore(pathOf(url)),
    openFailureCounts: async (url, clock, keptAtMost) => sqliteFailureCounts(pathOf(url), clock, keptAtMost),
    contents: async (url) => contents(pathOf(url)),
  },
]

/** Those that outlive a process, and that several can be on. */
export const SHARED_STORES = STORES.filter(({ isShared }) => isShared)

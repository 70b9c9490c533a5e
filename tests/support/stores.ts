import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { postgres } from './postgres.ts'
import { postgresDatabases } from './postgres-databases.ts'
import { sqliteFiles } from './sqlite-files.ts'
import type { StoreKind } from './store-kind.ts'

export type { Contents, Place, StoreKind } from './store-kind.ts'

const nobodyCan = async (): Promise<never> => {
  throw new Error('a memory store is out of reach')
}

/** All kinds of stores. Tests of stores run on each of these. */
export const STORES: ReadonlyArray<StoreKind> = [
  {
    name: 'memory',
    isShared: false,
    layOut: async () => ({ url: 'memory:', remove: async () => {} }),
    openStore: async () => memoryStore(),
    openCopyable: async () => memoryStorage(),
    openFaulty: undefined, // there is no layer between the process and its memory
    openFailureCounts: async (_, clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost),
    contents: nobodyCan,
    spoil: nobodyCan,
    copy: nobodyCan,
  },
  sqliteFiles,
  ...(postgres === undefined ? [] : [postgresDatabases(postgres)]),
]

/** Those that outlive a process and that several processes can share. */
export const SHARED_STORES = STORES.filter(({ isShared }) => isShared)

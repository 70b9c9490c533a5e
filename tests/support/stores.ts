import { memoryFailureCounts } from '../../adapters/driven/memory/failure-counts.ts'
import { memoryStore } from '../../adapters/driven/memory/store.ts'
import { postgres } from './postgres.ts'
import { postgresDatabases } from './postgres-databases.ts'
import { sqliteFiles } from './sqlite-files.ts'
import type { StoreKind } from './store-kind.ts'

export type { Contents, Place, StoreKind } from './store-kind.ts'

const nobodyCan = async (): Promise<never> => {
  throw new Error('nobody can reach into the memory of a process')
}

/** Every store there is. Whatever a test says of stores it says of each of these, and of one that is added here. */
export const STORES: ReadonlyArray<StoreKind> = [
  {
    name: 'memory',
    isShared: false,
    layOut: async () => ({ url: 'memory:', remove: async () => {} }),
    openStore: async () => memoryStore(),
    openFaulty: undefined, // there is nothing between the process and its memory
    openFailureCounts: async (_, clock, keptAtMost) => memoryFailureCounts(clock, keptAtMost),
    contents: nobodyCan,
    spoil: nobodyCan,
    copy: nobodyCan,
  },
  sqliteFiles,
  ...(postgres === undefined ? [] : [postgresDatabases(postgres)]),
]

/** Those that outlive a process, and that several can be on. */
export const SHARED_STORES = STORES.filter(({ isShared }) => isShared)

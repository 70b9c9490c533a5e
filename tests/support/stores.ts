import { memory } from './memory-kind.ts'
import { postgres } from './postgres.ts'
import { postgresDatabases } from './postgres-databases.ts'
import { sqliteFiles } from './sqlite-files.ts'
import type { StoreKind } from './store-kind.ts'

export type { Contents, Place, StoreKind } from './store-kind.ts'

/** All kinds of stores. Tests of stores run on each of these. */
export const STORES: ReadonlyArray<StoreKind> = [
  memory,
  sqliteFiles,
  ...(postgres === undefined ? [] : [postgresDatabases(postgres)]),
]

/** Those that outlive a process and that several processes can share. */
export const SHARED_STORES = STORES.filter(({ isShared }) => isShared)

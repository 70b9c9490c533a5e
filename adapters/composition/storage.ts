import { POLL_ONLY } from '../../application/keys/keyring.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Settings } from '../config/settings.ts'
import { memoryFailureCounts } from '../driven/memory/failure-counts.ts'
import { memoryStore } from '../driven/memory/store.ts'
import type { StoreOpening } from '../driving/cli/composition.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** A store and what is kept beside it. Without `failureCounts`, failures are counted in memory. */
export type Storage = Readonly<{ store: Store; failureCounts?: FailureCounts }>

/** The storage that DATABASE_URL names. The drivers load only when they are needed. */
export const storage: ReadonlyArray<Module> = [
  storageOpened('migrate'),
  provide(Dependency.store, { storage: Dependency.storage }, ({ storage: { store } }) => store),
  provide(
    Dependency.failureCounts,
    { storage: Dependency.storage, clock: Dependency.clock },
    ({ storage: { failureCounts }, clock }) => failureCounts ?? memoryFailureCounts(clock),
  ),
  provide(
    Dependency.announcements,
    {
      settings: Dependency.settings,
      log: Dependency.log,
      store: Dependency.store, // a store that does not open must not leave a listener that keeps the process alive
    },
    async ({ settings: { databaseDirectUrl }, log }) => {
      if (databaseDirectUrl === undefined) return POLL_ONLY
      const { listenTo } = await import('../driven/postgres/announcements.ts')
      return listenTo(databaseDirectUrl, (reason) => {
        if (reason === undefined) log.info('keys rotated elsewhere are heard of at once')
        else
          log.warn(
            { cause: reason },
            'DATABASE_DIRECT_URL cannot be listened on: rotated keys are looked for every second',
          )
      })
    },
  ),
]

/** @param opening whether the schema may be created or changed, must exist, or must not be touched */
export function storageOpened(opening: StoreOpening): Module {
  return provide(
    Dependency.storage,
    { settings: Dependency.settings, meters: Dependency.meters, clock: Dependency.clock },
    async ({
      settings: { database, databasePoolSize },
      meters: { committedTogether },
      clock,
    }): Promise<Storage> => {
      switch (database.kind) {
        case 'memory':
          return { store: memoryStore() }
        case 'sqlite': {
          const { sqliteFailureCounts, sqliteStore } = await import('../driven/sqlite/sqlite.ts')
          const store = sqliteStore(
            database.path,
            opening === 'read-only' ? 'read-only' : 'migrate',
            committedTogether,
          )
          if (opening === 'read-only') return { store }
          return { store, failureCounts: sqliteFailureCounts(database.path, clock) }
        }
        case 'postgres': {
          const postgres = await import('../driven/postgres/postgres.ts')
          await postgres.openDatabase(database, opening)
          const connections = postgres.connectionsTo(database.url, databasePoolSize)
          const store = postgres.postgresStore(
            connections,
            () => postgres.announceKeys(connections),
            committedTogether,
          )
          if (opening === 'read-only') return { store }
          return { store, failureCounts: postgres.postgresFailureCounts(connections, clock) }
        }
      }
    },
  )
}

/** What there is to say of the place of the store, found out without opening it. */
export const inspectStore = async ({
  database,
  databasePoolSize,
  databaseDirectUrl,
}: Settings): Promise<ReadonlyArray<Finding>> => {
  switch (database.kind) {
    case 'memory':
      return []
    case 'sqlite':
      return (await import('../driven/sqlite/sqlite.ts')).inspectSqlite(database.path)
    case 'postgres': {
      const { inspectPostgres } = await import('../driven/postgres/postgres.ts')
      return inspectPostgres(database, databasePoolSize, databaseDirectUrl)
    }
  }
}

/**
 * Copies the store as it is now into a new file.
 *
 * @throws Error with one sentence for operators
 */
export const backUpStore = async ({ database }: Settings, file: string): Promise<void> => {
  if (database.kind === 'sqlite') {
    const { backUpSqlite } = await import('../driven/sqlite/sqlite.ts')
    backUpSqlite(database.path, file)
  }
  if (database.kind === 'postgres')
    throw new Error(
      `The store ${database.place} is backed up with PostgreSQL's own means: pg_dump, or its archive.`,
    )
}

import { POLL_ONLY } from '../../application/keys/keyring.ts'
import type { Clock } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { ServerNotes } from '../../application/ports/server-notes.ts'
import type { Store } from '../../application/ports/store.ts'
import type { StoreOpening } from '../cli/composition.ts'
import type { Settings } from '../config/settings.ts'
import { memoryFailureCounts } from '../stores/memory/failure-counts.ts'
import { memoryServerNotes } from '../stores/memory/server-notes.ts'
import { memoryStore } from '../stores/memory/store.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/**
 * A store and its failure counts. Without `failureCounts`, the service counts failures in memory. Without `serverNotes`, `doctor`
 * cannot compare its settings with those of the running servers.
 */
export type Storage = Readonly<{ store: Store; failureCounts?: FailureCounts; serverNotes?: ServerNotes }>

/** The storage that DATABASE_URL names. The drivers load only when they are needed. */
export const storage: ReadonlyArray<Module> = [
  storageOpened(),
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
      store: Dependency.store, // opens first: if it fails, no listener keeps the process alive
    },
    async ({ settings: { databaseDirectUrl }, log }) => {
      if (databaseDirectUrl === undefined) return POLL_ONLY
      const { postgresAnnouncements } = await import('../stores/postgres/postgres.ts')
      return postgresAnnouncements(databaseDirectUrl, {
        onStateChange: (reason) => {
          if (reason === undefined) log.info('DATABASE_DIRECT_URL works again: rotated keys are used at once')
          else log.warn({ cause: reason }, 'DATABASE_DIRECT_URL fails: rotated keys are polled every second')
        },
      })
    },
  ),
]

/** The storage that DATABASE_URL names; by default, opened as a service does. */
export function storageOpened(how: Pick<StorageOptions, 'opening' | 'countsOpen'> = {}): Module {
  return provide(
    Dependency.storage,
    { settings: Dependency.settings, meters: Dependency.meters, clock: Dependency.clock },
    ({ settings, meters: { committedTogether: onCommitted }, clock }) =>
      openStorage(settings, { ...how, clock, onCommitted }),
  )
}

/** How to open the standard storage. */
export type StorageOptions = Readonly<{
  /** Ends failure counts. */
  clock: Clock
  /** By default, the store is created, or updated to the schema of this version. */
  opening?: StoreOpening
  /**
   * When the failure counts in SQLite open their connection. `at start` is the default, so that a service that cannot open it does not
   * start. With `when needed`, a command that never counts opens none.
   */
  countsOpen?: 'at start' | 'when needed'
  /** Receives the number of changes in each transaction. */
  onCommitted?: (changes: number) => void
}>

/**
 * Opens the standard storage, which DATABASE_URL names. A module can wrap it and provide the result as `Dependency.storage`.
 *
 * @throws Error with one sentence for operators if the store cannot be used
 */
export const openStorage = async (
  { database, databasePoolSize: poolSize }: Pick<Settings, 'database' | 'databasePoolSize'>,
  { clock, opening = 'migrate', countsOpen = 'at start', onCommitted = () => undefined }: StorageOptions,
): Promise<Storage> => {
  switch (database.kind) {
    case 'memory':
      return { store: memoryStore(), serverNotes: memoryServerNotes() }
    case 'sqlite': {
      const { sqliteStorage } = await import('../stores/sqlite/sqlite.ts')
      return sqliteStorage({ path: database.path, opening, countsOpen, clock, onCommitted })
    }
    case 'postgres': {
      const { postgresStorage } = await import('../stores/postgres/postgres.ts')
      return postgresStorage({ database, poolSize, opening, clock, onCommitted })
    }
  }
}

/** Checks the file or server of the store without opening the store. */
export const inspectStore = async ({
  database,
  databasePoolSize,
  databaseDirectUrl,
}: Settings): Promise<ReadonlyArray<Finding>> => {
  switch (database.kind) {
    case 'memory':
      return []
    case 'sqlite':
      return (await import('../stores/sqlite/sqlite.ts')).inspectSqlite(database.path)
    case 'postgres': {
      const { inspectPostgres } = await import('../stores/postgres/postgres.ts')
      return inspectPostgres(database, databasePoolSize, databaseDirectUrl)
    }
  }
}

/**
 * Copies the store into a new file.
 *
 * @throws Error with one sentence for operators
 */
export const backUpStore = async ({ database }: Settings, file: string): Promise<void> => {
  switch (database.kind) {
    case 'memory':
      return
    case 'sqlite':
      return (await import('../stores/sqlite/sqlite.ts')).backUpSqlite(database.path, file)
    case 'postgres':
      return (await import('../stores/postgres/postgres.ts')).backUpPostgres(database)
  }
}

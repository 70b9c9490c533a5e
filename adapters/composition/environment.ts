import { isLeft } from 'fp-ts/lib/Either.js'
import { POLL_ONLY } from '../../application/keys/keyring.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { Storage, StorageOptions } from '../../application/ports/storage.ts'
import { closedSentence } from '../cli/closed-store.ts'
import type { Settings } from '../config/settings.ts'
import { loggableError } from '../http/server/loggable-error.ts'
import { nodeBackground } from '../node/background.ts'
import { nodeDigests, systemClock, systemRandom, systemTimer } from '../node/environment.ts'
import { NO_TRACING } from '../observing/opentelemetry/tracing.ts'
import { jsonLog } from '../observing/pino/log.ts'
import { NO_METERS } from '../observing/prometheus/meters.ts'
import { memoryFailureCounts } from '../stores/memory/failure-counts.ts'
import { memory } from '../stores/memory/memory.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'
import { untilClosed } from './until-closed.ts'

/** Settings, clock, randomness, log, background work and the store. */
export const environment = (
  settings: Settings,
  how: Pick<StorageOptions, 'opening' | 'countsOpen'> = {},
): ReadonlyArray<Module> => [
  provide(Dependency.settings, () => settings),
  provide(Dependency.meters, () => NO_METERS),
  provide(Dependency.tracing, () => NO_TRACING),
  provide(Dependency.log, needs('settings', 'tracing'), ({ settings: { logLevel }, tracing: { ids } }) =>
    jsonLog(logLevel, ids),
  ),
  provide(Dependency.clock, () => systemClock),
  provide(Dependency.timer, () => systemTimer),
  provide(Dependency.random, () => systemRandom),
  provide(Dependency.digests, () => nodeDigests),
  provide(Dependency.background, needs('log'), ({ log }) =>
    nodeBackground((error) => log.error({ error: loggableError(error) }, 'background work failed')),
  ),
  provide(
    Dependency.storage,
    needs('settings', 'meters', 'clock', 'log'),
    ({ settings, meters, clock, log }) =>
      openStorage(settings, {
        ...how,
        clock,
        onCommitted: meters.committedTogether,
        onServerRefused: (reason) => {
          if (reason === undefined) log.info('the current server of DATABASE_URL answers again')
          else
            log.warn(
              { cause: reason },
              'DATABASE_URL leads to a former primary, which is refused: stop it, or restart the instances if it is a restored copy',
            )
        },
      }),
  ),
  provide(Dependency.store, needs('storage'), ({ storage: { store } }) => store),
  provide(
    Dependency.failureCounts,
    needs('storage', 'clock'),
    ({ storage, clock }) => storage.failureCounts ?? memoryFailureCounts(clock),
  ),
  provide(Dependency.announcements, needs('settings', 'log', 'store'), async ({ settings, log }) => {
    if (settings.databaseDirectUrl === undefined) return POLL_ONLY
    const { postgresAnnouncements } = await import('../stores/postgres/postgres.ts')
    return postgresAnnouncements(settings.databaseDirectUrl, {
      onStateChange: (reason) => {
        if (reason === undefined) log.info('DATABASE_DIRECT_URL works again: rotated keys are used at once')
        else log.warn({ cause: reason }, 'DATABASE_DIRECT_URL fails: rotated keys are polled every second')
      },
    })
  }), // after the store: if that fails, no listener keeps the process alive
]

/**
 * The store of a service, which refuses one that a copy has closed: the service would make signing keys there.
 *
 * @param name the store as the message names it
 */
export const openStore = (name: string): Module =>
  provide(
    Dependency.store,
    needs('storage', 'markWatch'),
    async ({ storage: { store, storeCopy }, markWatch }) => {
      const mark = await storeCopy?.readMark()()
      if (mark === undefined || isLeft(mark) || mark.right.state === 'open')
        return untilClosed(store, markWatch.closed)
      await store.close() // an open connection would keep the process alive
      throw new Error(closedSentence(name, mark.right))
    },
  )

/**
 * Opens the standard storage, which DATABASE_URL names. A module can wrap it and provide the result as `Dependency.storage`.
 *
 * @throws Error with one sentence for operators if the store cannot be used
 */
export const openStorage = async (
  settings: Database,
  {
    clock,
    opening = 'migrate',
    countsOpen = 'at start',
    onCommitted = () => undefined,
    onServerRefused = () => undefined,
  }: StorageOptions,
): Promise<Storage> =>
  (await productOf(settings)).open({ clock, opening, countsOpen, onCommitted, onServerRefused })

/** Checks the file or server of the store without opening the store. */
export const inspectStore = async (settings: Settings): Promise<ReadonlyArray<Finding>> =>
  (await productOf(settings)).inspect(settings.databaseDirectUrl)

/**
 * Copies the store into a new file.
 *
 * @throws Error with one sentence for operators
 */
export const backUpStore = async (settings: Settings, file: string): Promise<void> =>
  (await productOf(settings)).backUp(file)

type Product = Readonly<{
  open(options: Required<StorageOptions>): Storage | Promise<Storage>
  inspect(directUrl: string | undefined): ReadonlyArray<Finding> | Promise<ReadonlyArray<Finding>>
  backUp(file: string): void
}>

/** Opens, inspects and copies the store that DATABASE_URL names. The driver of its product loads here. */
const productOf = async ({ database, databasePoolSize }: Database): Promise<Product> => {
  switch (database.kind) {
    case 'memory':
      return memory()
    case 'sqlite':
      return (await import('../stores/sqlite/sqlite.ts')).sqlite(database.path)
    case 'postgres':
      return (await import('../stores/postgres/postgres.ts')).postgres(database, databasePoolSize)
  }
}

type Database = Pick<Settings, 'database' | 'databasePoolSize'>

import { isLeft, left } from 'fp-ts/lib/Either.js'
import { fromNullable } from 'fp-ts/lib/Option.js'
import { untilClosed } from '../../application/copying/until-closed.ts'
import { POLL_ONLY } from '../../application/keys/keyring.ts'
import type { StorageOptions } from '../../application/ports/storage.ts'
import { closedSentence } from '../cli/closed-store.ts'
import type { Settings } from '../config/settings.ts'
import { loggableError } from '../http/server/loggable-error.ts'
import { nodeBackground } from '../node/background.ts'
import { nodeDigests, systemClock, systemRandom, systemTimer } from '../node/environment.ts'
import { NO_TRACING } from '../observing/opentelemetry/tracing.ts'
import { jsonLog } from '../observing/pino/log.ts'
import { NO_METERS } from '../observing/prometheus/meters.ts'
import { memoryFailureCounts } from '../stores/memory/failure-counts.ts'
import { openStorage } from '../stores/products.ts'
import { closedByCopy } from '../stores/records/copy-state.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

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
  provide(Dependency.protocolState, needs('storage'), ({ storage }) => fromNullable(storage.protocolState)),
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
    needs('storage', 'copyStateWatch'),
    async ({ storage: { store, storeCopy }, copyStateWatch }) => {
      const copyState = await storeCopy?.readCopyState()()
      if (copyState === undefined || isLeft(copyState) || copyState.right.state === 'open')
        return untilClosed(
          store,
          copyStateWatch.closed.then(({ state, place }) => left(closedByCopy(state === 'moved', place))),
        )
      await store.close() // an open connection would keep the process alive
      throw new Error(closedSentence(name, copyState.right))
    },
  )

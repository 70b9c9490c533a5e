import { loggableError } from '../http/server/loggable-error.ts'
import { nodeBackground } from '../node/background.ts'
import { nodeDigests, systemClock, systemRandom, systemTimer } from '../node/environment.ts'
import { NO_TRACING } from '../observing/opentelemetry/tracing.ts'
import { jsonLog } from '../observing/pino/log.ts'
import { NO_METERS } from '../observing/prometheus/meters.ts'
import { Dependency } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** Clock, randomness, digests, log and background work. */
export const environment: ReadonlyArray<Module> = [
  provide(Dependency.meters, () => NO_METERS),
  provide(Dependency.tracing, () => NO_TRACING),
  provide(
    Dependency.log,
    { settings: Dependency.settings, tracing: Dependency.tracing },
    ({ settings: { logLevel }, tracing: { ids } }) => jsonLog(logLevel, ids),
  ),
  provide(Dependency.clock, () => systemClock),
  provide(Dependency.timer, () => systemTimer),
  provide(Dependency.random, () => systemRandom),
  provide(Dependency.digests, () => nodeDigests),
  provide(Dependency.background, { log: Dependency.log }, ({ log }) =>
    nodeBackground((error) => log.error({ error: loggableError(error) }, 'background work failed')),
  ),
]

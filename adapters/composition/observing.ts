import type { Container } from 'inversify'
import { VERSION } from '../config/version.ts'
import { observedHasher } from '../observing/instrumentation/password-hasher.ts'
import { observedStore } from '../observing/instrumentation/store.ts'
import type { Tracing } from '../observing/opentelemetry/tracing.ts'
import type { Meters } from '../observing/prometheus/meters.ts'
import { Dependency, type Identifier } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** The metrics and traces of a service. Commands do not load them. */
export const observing: ReadonlyArray<Module> = [
  provide(Dependency.meters, async () =>
    (await import('../observing/prometheus/prometheus.ts')).prometheusMeters(VERSION),
  ),
  provide(Dependency.tracing, { settings: Dependency.settings }, async ({ settings: { publicUrl } }) =>
    (await import('../observing/opentelemetry/opentelemetry.ts')).openTelemetry(VERSION, publicUrl),
  ),
]

type Observers = Readonly<{ meters: Meters; tracing: Tracing }>

/** Wraps the dependencies that are measured and traced, also those that a module has replaced. */
export const instrumented = (container: Container): Container => {
  const wrap = <T>(what: Identifier<T>, around: (inner: T, observers: Observers) => T): void => {
    container.onActivation(what, async (context, inner: T) =>
      around(inner, {
        meters: await context.getAsync(Dependency.meters),
        tracing: await context.getAsync(Dependency.tracing),
      }),
    )
  }
  wrap(Dependency.store, (store, { meters, tracing }) =>
    observedStore(store, [...meters.store(store), ...tracing.store]),
  )
  wrap(Dependency.passwordHasher, (hasher, { meters, tracing }) =>
    observedHasher(hasher, [...meters.passwordHasher, ...tracing.passwordHasher]),
  )
  wrap(Dependency.refusals, (refusals, { meters }) => meters.refusals(refusals))
  wrap(Dependency.throttle, (throttle, { meters }) => meters.throttle(throttle))
  return container
}

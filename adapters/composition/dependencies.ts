import 'reflect-metadata'
import { type AbstractNewable, ContainerModule } from 'inversify'
import type { Logger } from 'pino'
import type { Authenticate } from '../../application/authenticate.ts'
import type { AuthenticateApplication } from '../../application/authenticate-application.ts'
import type { FindWeakness } from '../../application/find-weakness.ts'
import type { CurrentKeyring, Formats } from '../../application/keys/keyring.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { Background } from '../../application/ports/background.ts'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { Refusals } from '../../application/ports/refusals.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ApplicationTokens, UserTokens } from '../../application/ports/token-format.ts'
import type { Recorder } from '../../application/recording/recorder.ts'
import type { CallerFailed, Throttle } from '../../application/throttling/throttle.ts'
import type { ValidateToken } from '../../application/validate-token.ts'
import type { Settings } from '../config/settings.ts'
import type { Operations } from '../driving/cli/composition.ts'
import type { ApiUseCases } from '../driving/http/api/routes.ts'
import type { OauthUseCases } from '../driving/http/oauth/routes.ts'
import type { OpenApiSpec } from '../driving/http/openapi/route.ts'
import type { HttpService } from '../driving/http/service.ts'
import type { Tracing } from '../observing/opentelemetry/tracing.ts'
import type { Meters } from '../observing/prometheus/meters.ts'
import type { Service } from './compose.ts'
import type { Storage } from './storage.ts'

/** Names a dependency and gives its type. */
export type Identifier<T> = AbstractNewable<T>

const named = <T>(name: string): Identifier<T> => ({ [name]: class {} })[name] as unknown as Identifier<T> // only a key: never constructed

/** Everything that `compose` puts together. Each entry can be replaced with `provide`. */
export const Dependency = {
  settings: named<Settings>('settings'),
  meters: named<Meters>('meters'),
  tracing: named<Tracing>('tracing'),
  log: named<Logger>('log'),
  clock: named<Clock>('clock'),
  timer: named<Timer>('timer'),
  random: named<Random>('random'),
  digests: named<Digests>('digests'),
  background: named<Background>('background'),
  storage: named<Storage>('storage'),
  store: named<Store>('store'),
  failureCounts: named<FailureCounts>('failureCounts'),
  announcements: named<Announcements>('announcements'),
  passwordHasher: named<PasswordHasher>('passwordHasher'),
  leakedPasswords: named<LeakedPasswords>('leakedPasswords'),
  passwordEstimator: named<PasswordEstimator>('passwordEstimator'),
  findWeakness: named<FindWeakness>('findWeakness'),
  applicationTokens: named<ApplicationTokens>('applicationTokens'),
  userTokens: named<UserTokens>('userTokens'),
  formats: named<Formats>('formats'),
  keyWrapping: named<KeyWrapping>('keyWrapping'),
  keyring: named<CurrentKeyring>('keyring'),
  recorder: named<Recorder>('recorder'),
  refusals: named<Refusals>('refusals'),
  throttle: named<Throttle>('throttle'),
  callerFailed: named<CallerFailed>('callerFailed'),
  validateToken: named<ValidateToken>('validateToken'),
  authenticate: named<Authenticate>('authenticate'),
  authenticateApplication: named<AuthenticateApplication>('authenticateApplication'),
  apiUseCases: named<ApiUseCases>('apiUseCases'),
  oauthUseCases: named<OauthUseCases>('oauthUseCases'),
  openApi: named<(isDraining: () => boolean) => OpenApiSpec>('openApi'),
  httpService: named<HttpService>('httpService'),
  operations: named<Operations>('operations'),
  service: named<Service>('service'),
}

/** Binds one dependency. A later module replaces an earlier one. */
export type Module = Readonly<{ what: Identifier<unknown>; binding: ContainerModule }>

type Make<T, Needs> = (needs: Needs) => T | Promise<T>

/**
 * A module that binds one dependency.
 *
 * @param needs the dependencies that `make` receives, by the names it gives them
 * @param make is called at most once, when the dependency is first needed
 *
 * @example provide(Dependency.clock, () => () => 0)
 * @example provide(Dependency.signOut, { store: Dependency.store, clock: Dependency.clock }, signOut)
 */
export function provide<T>(what: Identifier<T>, make: () => T | Promise<T>): Module
export function provide<T, Needs extends object>(
  what: Identifier<T>,
  needs: { [Name in keyof Needs]: Identifier<Needs[Name]> },
  make: Make<T, Needs>,
): Module
export function provide<T>(
  what: Identifier<T>,
  ...rest: [() => T | Promise<T>] | [Readonly<Record<string, Identifier<unknown>>>, Make<T, never>]
): Module {
  const [needs, make] = rest.length === 1 ? [{}, rest[0]] : rest
  const names = Object.keys(needs)
  const binding = new ContainerModule(({ bind, isBound, rebind }) => {
    const bound = isBound(what) ? rebind<T>(what) : bind<T>(what)
    bound
      .toResolvedValue<Array<unknown>>(
        (...values) => make(Object.fromEntries(names.map((name, at) => [name, values[at]])) as never),
        Object.values(needs),
      )
      .inSingletonScope()
  })
  return { what, binding }
}

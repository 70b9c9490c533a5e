import type { AbstractNewable } from 'inversify'
import type { Logger } from 'pino'
import type { FindWeakness } from '../../application/accounts/find-weakness.ts'
import type { AuthenticateApplication } from '../../application/applications/authenticate-application.ts'
import type { CurrentKeyring, Formats } from '../../application/keys/keyring.ts'
import type { Housekeeping } from '../../application/log/housekeeping.ts'
import type { LogIntegration } from '../../application/log/integrate-log.ts'
import type { LogWaiters } from '../../application/log/log-waiters.ts'
import type { PublishedLog } from '../../application/log/published-log.ts'
import type { PrunedThrough } from '../../application/log/read-feed.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { Background } from '../../application/ports/background.ts'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ApplicationTokens, UserTokens } from '../../application/ports/token-format.ts'
import type { Refusals } from '../../application/recording/note-refusals.ts'
import type { Recorder } from '../../application/recording/recorder.ts'
import type { SteadyClock } from '../../application/recording/steady-clock.ts'
import type { Authenticate } from '../../application/sessions/authenticate.ts'
import type { ValidateToken } from '../../application/sessions/validate-token.ts'
import type { EvenTiming } from '../../application/throttling/even-timing.ts'
import type { CallerFailed, Throttle } from '../../application/throttling/throttle.ts'
import type { Operations } from '../cli/composition.ts'
import type { Settings } from '../config/settings.ts'
import type { ApiUseCases } from '../http/api/routes.ts'
import type { OauthUseCases } from '../http/oauth/routes.ts'
import type { OpenApiSpec } from '../http/openapi/route.ts'
import type { PagesUseCases } from '../http/pages/routes.ts'
import type { HttpService } from '../http/service.ts'
import type { Tracing } from '../observing/opentelemetry/tracing.ts'
import type { Meters } from '../observing/prometheus/meters.ts'
import type { Service } from './compose.ts'
import type { PasswordRule } from './password-rules.ts'
import type { Storage } from './storage.ts'

/** Everything that `compose` puts together. Each one can be replaced with `provide`. */
export type Dependencies = Readonly<{
  settings: Settings
  meters: Meters
  tracing: Tracing
  log: Logger
  clock: Clock
  timer: Timer
  steadyClock: SteadyClock
  random: Random
  digests: Digests
  background: Background
  storage: Storage
  store: Store
  failureCounts: FailureCounts
  announcements: Announcements
  passwordHasher: PasswordHasher
  leakedPasswords: LeakedPasswords
  passwordEstimator: PasswordEstimator
  passwordRules: ReadonlyArray<PasswordRule>
  findWeakness: FindWeakness
  applicationTokens: ApplicationTokens
  userTokens: UserTokens
  formats: Formats
  keyWrapping: KeyWrapping
  keyring: CurrentKeyring
  recorder: Recorder
  refusals: Refusals
  housekeeping: Housekeeping
  logIntegration: LogIntegration
  logWaiters: LogWaiters
  prunedThrough: PrunedThrough
  throttle: Throttle
  evenTiming: EvenTiming
  callerFailed: CallerFailed
  validateToken: ValidateToken
  authenticate: Authenticate
  authenticateApplication: AuthenticateApplication
  publishedLog: PublishedLog | undefined
  apiUseCases: ApiUseCases
  oauthUseCases: OauthUseCases
  pagesUseCases: PagesUseCases
  openApi: (isDraining: () => boolean) => OpenApiSpec
  httpService: HttpService
  operations: Operations
  service: Service
}>

/** Names a dependency and gives its type. */
export type Identifier<T> = AbstractNewable<T>

const named = <T>(name: string): Identifier<T> => ({ [name]: class {} })[name] as unknown as Identifier<T> // only a key: never constructed

// The declared type keeps the names of the types in what is published.
export const Dependency: { readonly [Name in keyof Dependencies]: Identifier<Dependencies[Name]> } = {
  settings: named('settings'),
  meters: named('meters'),
  tracing: named('tracing'),
  log: named('log'),
  clock: named('clock'),
  timer: named('timer'),
  steadyClock: named('steadyClock'),
  random: named('random'),
  digests: named('digests'),
  background: named('background'),
  storage: named('storage'),
  store: named('store'),
  failureCounts: named('failureCounts'),
  announcements: named('announcements'),
  passwordHasher: named('passwordHasher'),
  leakedPasswords: named('leakedPasswords'),
  passwordEstimator: named('passwordEstimator'),
  passwordRules: named('passwordRules'),
  findWeakness: named('findWeakness'),
  applicationTokens: named('applicationTokens'),
  userTokens: named('userTokens'),
  formats: named('formats'),
  keyWrapping: named('keyWrapping'),
  keyring: named('keyring'),
  recorder: named('recorder'),
  refusals: named('refusals'),
  housekeeping: named('housekeeping'),
  logIntegration: named('logIntegration'),
  logWaiters: named('logWaiters'),
  prunedThrough: named('prunedThrough'),
  throttle: named('throttle'),
  evenTiming: named('evenTiming'),
  callerFailed: named('callerFailed'),
  validateToken: named('validateToken'),
  authenticate: named('authenticate'),
  authenticateApplication: named('authenticateApplication'),
  publishedLog: named('publishedLog'),
  apiUseCases: named('apiUseCases'),
  oauthUseCases: named('oauthUseCases'),
  pagesUseCases: named('pagesUseCases'),
  openApi: named('openApi'),
  httpService: named('httpService'),
  operations: named('operations'),
  service: named('service'),
}

import type { Option } from 'fp-ts/lib/Option.js'
import type { AbstractNewable } from 'inversify'
import type { Logger } from 'pino'
import type { CopyStateWatch } from '../../application/copying/watch-copy-state.ts'
import type { CurrentKeyring, Formats } from '../../application/keys/keyring.ts'
import type { Housekeeping } from '../../application/log/housekeeping.ts'
import type { LogIntegration } from '../../application/log/integrate-log.ts'
import type { LogWaiters } from '../../application/log/log-waiters.ts'
import type { PublishedLog } from '../../application/log/published-log.ts'
import type { MailBell } from '../../application/mail/mail-bell.ts'
import type { MailDesk } from '../../application/mail/mail-parts.ts'
import type { MailSender } from '../../application/mail/send-mails.ts'
import type { CurrentAccountPages } from '../../application/pages/account-pages.ts'
import type { FindWeakness } from '../../application/passwords/find-weakness.ts'
import type { PasswordRule } from '../../application/passwords/password-rules.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { Background } from '../../application/ports/background.ts'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { IdTokenKeys } from '../../application/ports/id-token-keys.ts'
import type { IdentityProvider } from '../../application/ports/identity-provider.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { Mailer } from '../../application/ports/mail.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import type { PasskeyVerifier } from '../../application/ports/passkey-verifier.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { ProtocolState } from '../../application/ports/protocol-state.ts'
import type { Sealing } from '../../application/ports/sealing.ts'
import type { Storage } from '../../application/ports/storage.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ApplicationTokens, UserJwts, UserTokens } from '../../application/ports/token-format.ts'
import type { Refusals } from '../../application/recording/note-refusals.ts'
import type { Recorder } from '../../application/recording/recorder.ts'
import type { SteadyClock } from '../../application/recording/steady-clock.ts'
import type { Throttle } from '../../application/throttling/throttle.ts'
import type { HasOpenIdProvider } from '../../application/use-cases/openid.ts'
import type { PageUseCases } from '../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../application/use-cases/requests.ts'
import type { Operations, Servable } from '../cli/composition.ts'
import type { Settings } from '../config/settings.ts'
import type { OpenApiSpec } from '../http/openapi/route.ts'
import type { OpenIdProvider } from '../http/openid/routes.ts'
import type { HttpService } from '../http/service.ts'
import type { Tracing } from '../observing/opentelemetry/tracing.ts'
import type { Meters } from '../observing/prometheus/meters.ts'
import type { Languages } from '../texts/languages.ts'
import type { PagesFolder } from '../texts/pages-folder.ts'

/** Names a dependency and gives its type. */
export type Identifier<T> = AbstractNewable<T>

/** An identifier is never constructed. */
const key = (): Identifier<never> => class {} as never

/** The whole service. `stop` answers the open requests and then closes the store. */
export type Service = Omit<Operations, 'registerUser'> &
  RequestUseCases &
  PageUseCases &
  HttpService &
  Pick<Servable, 'noteServer' | 'storeClosed'> &
  Readonly<{
    /** The OpenAPI document of the service, as JSON. */
    openApi: () => string
  }>

/** Everything that `compose` puts together. Each one can be replaced with `provide`. */
// With `as`, the published types keep these names.
export const Dependency = {
  settings: key() as Identifier<Settings>,
  meters: key() as Identifier<Meters>,
  tracing: key() as Identifier<Tracing>,
  log: key() as Identifier<Logger>,
  clock: key() as Identifier<Clock>,
  timer: key() as Identifier<Timer>,
  steadyClock: key() as Identifier<SteadyClock>,
  random: key() as Identifier<Random>,
  digests: key() as Identifier<Digests>,
  background: key() as Identifier<Background>,
  storage: key() as Identifier<Storage>,
  copyStateWatch: key() as Identifier<CopyStateWatch>,
  store: key() as Identifier<Store>,
  failureCounts: key() as Identifier<FailureCounts>,
  /** None if the storage has none. */
  protocolState: key() as Identifier<Option<ProtocolState>>,
  announcements: key() as Identifier<Announcements>,
  passwordHasher: key() as Identifier<PasswordHasher>,
  leakedPasswords: key() as Identifier<LeakedPasswords>,
  passwordEstimator: key() as Identifier<PasswordEstimator>,
  passwordPolicy: key() as Identifier<Settings['passwordPolicy']>,
  passwordRules: key() as Identifier<ReadonlyArray<PasswordRule>>,
  findWeakness: key() as Identifier<FindWeakness>,
  applicationTokens: key() as Identifier<ApplicationTokens>,
  userTokens: key() as Identifier<UserTokens>,
  userJwts: key() as Identifier<UserJwts>,
  idTokenKeys: key() as Identifier<IdTokenKeys>,
  formats: key() as Identifier<Formats>,
  keyWrapping: key() as Identifier<KeyWrapping>,
  /** None without a key-encryption key. */
  sealing: key() as Identifier<Option<Sealing>>,
  passkeyVerifier: key() as Identifier<Option<PasskeyVerifier>>,
  /** Empty without `IDENTITY_PROVIDERS_FILE`. */
  identityProviders: key() as Identifier<ReadonlyArray<IdentityProvider>>,
  pagesFolder: key() as Identifier<PagesFolder>,
  languages: key() as Identifier<Languages>,
  /** None without a relay. So is what writes its letters. */
  mailer: key() as Identifier<Option<Mailer>>,
  mail: key() as Identifier<Option<MailDesk>>,
  /** None without a relay. */
  outbox: key() as Identifier<Option<Outbox>>,
  mailBell: key() as Identifier<MailBell>,
  mailSender: key() as Identifier<Option<MailSender>>,
  keyring: key() as Identifier<CurrentKeyring>,
  recorder: key() as Identifier<Recorder>,
  refusals: key() as Identifier<Refusals>,
  housekeeping: key() as Identifier<Housekeeping>,
  logIntegration: key() as Identifier<LogIntegration>,
  logWaiters: key() as Identifier<LogWaiters>,
  throttle: key() as Identifier<Throttle>,
  publishedLog: key() as Identifier<PublishedLog | undefined>,
  /** None without pages. */
  accountPages: key() as Identifier<Option<CurrentAccountPages>>,
  useCases: key() as Identifier<RequestUseCases & PageUseCases & HasOpenIdProvider>,
  /** Undefined if the service is no OpenID provider. */
  openIdProvider: key() as Identifier<OpenIdProvider | undefined>,
  openApi: key() as Identifier<(isDraining: () => boolean) => OpenApiSpec>,
  httpService: key() as Identifier<HttpService>,
  operations: key() as Identifier<Operations>,
  service: key() as Identifier<Service>,
} as const
for (const [name, identifier] of Object.entries(Dependency))
  Object.defineProperty(identifier, 'name', { value: name }) // for messages

/** The types of the dependencies by their names. */
export type Dependencies = {
  readonly [Name in keyof typeof Dependency]: InstanceType<(typeof Dependency)[Name]>
}

/** The dependencies that have the same names where they are needed. */
export const needs = <Name extends keyof Dependencies>(
  ...names: ReadonlyArray<Name>
): Pick<typeof Dependency, Name> =>
  Object.fromEntries(names.map((name) => [name, Dependency[name]])) as Pick<typeof Dependency, Name>

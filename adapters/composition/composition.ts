import 'reflect-metadata'
import * as E from 'fp-ts/lib/Either.js'
import { lefts } from 'fp-ts/lib/ReadonlyArray.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AbstractNewable, Container, ContainerModule } from 'inversify'
import type { Logger } from 'pino'
import { type Authenticate, authenticate } from '../../application/authenticate.ts'
import {
  type AuthenticateApplication,
  authenticateApplication,
} from '../../application/authenticate-application.ts'
import { authenticateByKeys } from '../../application/authenticate-by-keys.ts'
import { changePassword } from '../../application/change-password.ts'
import { type CheckLog, checkLog } from '../../application/check-log.ts'
import { endOtherSessions } from '../../application/end-other-sessions.ts'
import { endSession } from '../../application/end-session.ts'
import { type FindWeakness, findWeakness } from '../../application/find-weakness.ts'
import { type FirstRun, firstRun } from '../../application/first-run.ts'
import { introspect } from '../../application/introspect.ts'
import { issueApplicationToken } from '../../application/issue-application-token.ts'
import {
  type CurrentKeyring,
  currentKeyring,
  type Formats,
  POLL_ONLY,
} from '../../application/keys/keyring.ts'
import { publishedKeys } from '../../application/keys/published-keys.ts'
import { publishedUserKeys } from '../../application/keys/published-user-keys.ts'
import { usableKey } from '../../application/keys/usable-keys.ts'
import { listSessions } from '../../application/list-sessions.ts'
import type { Announcements } from '../../application/ports/announcements.ts'
import type { Background } from '../../application/ports/background.ts'
import type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { Refusals } from '../../application/ports/refusals.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ApplicationTokens, UserTokens } from '../../application/ports/token-format.ts'
import { noteRefusals } from '../../application/recording/note-refusals.ts'
import { type Recorder, recorder } from '../../application/recording/recorder.ts'
import { type RegisterApplication, registerApplication } from '../../application/register-application.ts'
import { type RegisterUser, registerUser } from '../../application/register-user.ts'
import { rehash } from '../../application/rehash.ts'
import { type RenewLog, renewLog } from '../../application/renew-log.ts'
import { type RevokeApplication, revokeApplication } from '../../application/revoke-application.ts'
import { revokeToken } from '../../application/revoke-token.ts'
import { type RotateApplicationKey, rotateApplicationKey } from '../../application/rotate-application-key.ts'
import { type RotateKeys, rotateKeys } from '../../application/rotate-keys.ts'
import { type SetPassword, setPassword } from '../../application/set-password.ts'
import { signIn } from '../../application/sign-in.ts'
import { signOut } from '../../application/sign-out.ts'
import { evenTiming } from '../../application/throttling/even-timing.ts'
import { callerFailed, type Throttle, throttle } from '../../application/throttling/throttle.ts'
import { disableUser, enableUser, removeUser, type SetUserStatus } from '../../application/user-status.ts'
import { type ValidateToken, validateToken } from '../../application/validate-token.ts'
import { minimumOf } from '../../domain/password-policy.ts'
import {
  hostOf,
  isCheaperThanRecommended,
  prefixOf,
  type Settings,
  WrongSettings,
} from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import { JWT_BEGINNING, jwtApplicationTokens } from '../driven/jwt/application-tokens.ts'
import { leakedList, wrongWith } from '../driven/leaked-list/list.ts'
import { memoryFailureCounts } from '../driven/memory/failure-counts.ts'
import { memoryStore } from '../driven/memory/store.ts'
import { nodeBackground } from '../driven/node/background.ts'
import { nodeDigests, systemClock, systemRandom, systemTimer } from '../driven/node/environment.ts'
import { aesKeyWrapping } from '../driven/node/key-wrapping.ts'
import { PASETO_BEGINNING, pasetoUserTokens } from '../driven/paseto/user-tokens.ts'
import { announceKeys, listenTo } from '../driven/postgres/announcements.ts'
import { connectionsTo } from '../driven/postgres/connections.ts'
import { openDatabase } from '../driven/postgres/database.ts'
import { postgresFailureCounts } from '../driven/postgres/failure-counts.ts'
import { inspectPostgres } from '../driven/postgres/inspect.ts'
import { postgresStore } from '../driven/postgres/store.ts'
import { scryptPasswordHasher } from '../driven/scrypt/password-hasher.ts'
import { rememberVerified } from '../driven/signing/verified.ts'
import { backUpSqlite } from '../driven/sqlite/back-up.ts'
import { sqliteFailureCounts } from '../driven/sqlite/failure-counts.ts'
import { inspectSqlite } from '../driven/sqlite/inspect.ts'
import { sqliteStore } from '../driven/sqlite/store.ts'
import { zxcvbnEstimator } from '../driven/zxcvbn/estimator.ts'
import { type ApiUseCases, apiRoutes } from '../driving/http/api/routes.ts'
import { docsRoutes } from '../driving/http/docs/route.ts'
import { withMetricsOn } from '../driving/http/metrics/own-port.ts'
import { metricsRoute } from '../driving/http/metrics/route.ts'
import { type OauthUseCases, oauthRoutes } from '../driving/http/oauth/routes.ts'
import { type OpenApiSpec, withOpenApi } from '../driving/http/openapi/route.ts'
import type { Route } from '../driving/http/operation/route.ts'
import { stackOf } from '../driving/http/server/stack.ts'
import { type HttpService, httpService } from '../driving/http/service.ts'
import { NO_TRACING, type Tracing } from '../observing/opentelemetry/tracing.ts'
import { flushed, jsonLog } from '../observing/pino/log.ts'
import { type Meters, NO_METERS } from '../observing/prometheus/meters.ts'

export type { Announcements } from '../../application/ports/announcements.ts'
export type { Background } from '../../application/ports/background.ts'
export type { Clock, Digests, Random, Timer } from '../../application/ports/environment.ts'
export { type FailureCounts, KEPT_AT_MOST } from '../../application/ports/failure-counts.ts'
export type { Abandoned, Overloaded, Unjudgeable } from '../../application/ports/failures.ts'
export type { Finding } from '../../application/ports/inspection.ts'
export type {
  CannotUnwrap,
  KeyWrapping,
  WrappedKey,
  WrappingState,
} from '../../application/ports/key-wrapping.ts'
export type {
  HashingRefused,
  HashingRequest,
  HashingShare,
  PasswordHasher,
  RecordState,
} from '../../application/ports/password-hasher.ts'
export type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
export type { Refusals } from '../../application/ports/refusals.ts'
export {
  type Change,
  type Conflict,
  type EmailTaken,
  type EndedEpoch,
  type EventQuery,
  type LogEntry,
  type NewEntry,
  PASSWORD_SCHEMES_AT_MOST,
  type Row,
  type RowOf,
  type RowQuery,
  type SessionQuery,
  type Store,
  type StoreUnavailable,
  type Table,
  type TokenHolder,
} from '../../application/ports/store.ts'
export type {
  ApplicationTokens,
  InvalidToken,
  KeyUnusable,
  PublicJwk,
  PublicPaserk,
  TokenFormat,
  UserTokens,
} from '../../application/ports/token-format.ts'
export type { RequestContext } from '../../application/recording/recorder.ts'
export type { Application } from '../../domain/application.ts'
export type { Actor, Event, EventType } from '../../domain/event.ts'
export type { PasswordEstimate } from '../../domain/password-policy.ts'
export type { Session, SessionFacts } from '../../domain/session.ts'
export type { SigningKey } from '../../domain/signing-key.ts'
export type { Failures } from '../../domain/throttle.ts'
export type { ApplicationTokenClaims, RevokedToken, UserTokenClaims } from '../../domain/token.ts'
export { emailKey, type HashedPassword, type User } from '../../domain/user.ts'
export { type Settings, settingsFrom } from '../config/settings.ts'
export { memoryStore } from '../driven/memory/store.ts'

/**
 * The one place that knows what there is and joins it, and the package's entry.
 *
 * Whatever stands in `Dependency` can be replaced: `compose(settings, provide(Dependency.store, () => myStore()))`.
 */

/** Names a part and says of what type it is. */
export type Identifier<T> = AbstractNewable<T>

const part = <T>(name: string): Identifier<T> => ({ [name]: class {} })[name] as unknown as Identifier<T> // only ever a key: nothing is made of it

export const Dependency = {
  settings: part<Settings>('settings'),
  meters: part<Meters>('meters'),
  tracing: part<Tracing>('tracing'),
  log: part<Logger>('log'),
  clock: part<Clock>('clock'),
  timer: part<Timer>('timer'),
  random: part<Random>('random'),
  digests: part<Digests>('digests'),
  store: part<Store>('store'),
  failureCounts: part<FailureCounts>('failureCounts'),
  announcements: part<Announcements>('announcements'),
  passwordHasher: part<PasswordHasher>('passwordHasher'),
  leakedPasswords: part<LeakedPasswords>('leakedPasswords'),
  passwordEstimator: part<PasswordEstimator>('passwordEstimator'),
  findWeakness: part<FindWeakness>('findWeakness'),
  applicationTokens: part<ApplicationTokens>('applicationTokens'),
  userTokens: part<UserTokens>('userTokens'),
  keyWrapping: part<KeyWrapping>('keyWrapping'),
  recorder: part<Recorder>('recorder'),
  background: part<Background>('background'),
  refusals: part<Refusals>('refusals'),
  throttle: part<Throttle>('throttle'),
  keyring: part<CurrentKeyring>('keyring'),
  validateToken: part<ValidateToken>('validateToken'),
  authenticate: part<Authenticate>('authenticate'),
  authenticateApplication: part<AuthenticateApplication>('authenticateApplication'),
  apiUseCases: part<ApiUseCases>('apiUseCases'),
  oauthUseCases: part<OauthUseCases>('oauthUseCases'),
  described: part<(isDraining: () => boolean) => OpenApiSpec>('described'),
  httpService: part<HttpService>('httpService'),
  operations: part<Operations>('operations'),
  service: part<Service>('service'),
}

/** What an operator does, without any HTTP. */
export type Operations = Readonly<{
  settings: Settings
  store: Store
  passwordHasher: PasswordHasher
  formats: Formats
  keyWrapping: KeyWrapping
  registerApplication: RegisterApplication
  rotateApplicationKey: RotateApplicationKey
  revokeApplication: RevokeApplication
  registerUser: RegisterUser
  setPassword: SetPassword
  disableUser: SetUserStatus
  enableUser: SetUserStatus
  removeUser: SetUserStatus
  rotateKeys: RotateKeys
  checkLog: CheckLog
  renewLog: RenewLog
  firstRun: FirstRun
  /** Lets go of everything that was opened. */
  close: Task<void>
}>

/** The whole service. `stop` answers what is in flight and then closes the store. */
export type Service = Operations &
  ApiUseCases &
  OauthUseCases &
  HttpService &
  Readonly<{
    /** The OpenAPI document that the service gives of itself: JSON. */
    openApi: () => string
  }>

/** Something that provides a part, instead of what provided it before. */
export type Module = ContainerModule

/**
 * A module that makes one part from others.
 *
 * @param make is called once at most, when the part is needed
 * @param needs the parts that `make` takes, in its order; another order does not compile
 */
export const provide = <T, Needs extends ReadonlyArray<unknown>>(
  what: Identifier<T>,
  make: (...needs: [...Needs]) => T | Promise<T>,
  ...needs: { [Index in keyof Needs]: Identifier<Needs[Index]> }
): Module =>
  new ContainerModule(({ bind, isBound, rebind }) => {
    const binding = isBound(what) ? rebind<T>(what) : bind<T>(what)
    binding
      .toResolvedValue<unknown[]>(make as (...all: unknown[]) => T | Promise<T>, [...needs])
      .inSingletonScope()
  })

/** The service with these settings and, where a module says so, other parts. It does not listen yet. */
export const compose = (settings: Settings, ...modules: ReadonlyArray<Module>): Promise<Service> =>
  instrumented(containerOf(settings, [...observers, ...modules])).getAsync(Dependency.service)

/** Only what operators need: no signing keys are made, and nothing of HTTP. */
export const composeOperations = (
  settings: Settings,
  ...modules: ReadonlyArray<Module>
): Promise<Operations> => containerOf(settings, modules).getAsync(Dependency.operations)

/** What there is to say of where the store is kept, found out without opening it. */
export const inspectStore = async ({
  database,
  databasePoolSize,
  databaseDirectUrl,
}: Settings): Promise<ReadonlyArray<Finding>> => {
  switch (database.kind) {
    case 'memory':
      return []
    case 'sqlite':
      return inspectSqlite(database.path)
    case 'postgres':
      return inspectPostgres(database, databasePoolSize, databaseDirectUrl)
  }
}

/** One sentence for every file that the settings name and that is not what it should be. */
export const wrongFiles = ({ leakedPasswordsFile }: Settings): ReadonlyArray<string> => {
  const wrong = leakedPasswordsFile === undefined ? undefined : wrongWith(leakedPasswordsFile)
  return wrong === undefined ? [] : [`PASSWORD_LEAKED_FILE: ${wrong}`]
}

/** A store that is looked at and not made fit for anything: neither its schema nor its files change as it is opened. */
export const readOnlyStore: Module = provide(
  Dependency.store,
  (settings) => openStore(settings, 'read-only'),
  Dependency.settings,
)

/** A store that is there already: one that nobody has begun on is not begun. */
export const existingStore: Module = provide(
  Dependency.store,
  (settings) => openStore(settings, 'existing'),
  Dependency.settings,
)

/**
 * Copies the store as it is at this moment into a new file.
 *
 * @throws Error with one sentence for operators
 */
export const backUpStore = ({ database }: Settings, file: string): void => {
  if (database.kind === 'sqlite') backUpSqlite(database.path, file)
  if (database.kind === 'postgres')
    throw new Error(
      `The store ${database.place} is backed up with PostgreSQL's own means: pg_dump, or its archive.`,
    )
}

const containerOf = (settings: Settings, modules: ReadonlyArray<Module>): Container => {
  const container = new Container()
  container.load(...standard(settings), ...modules)
  return container
}

/** What watches a service. Commands are not watched, and do without what it takes to load it. */
const observers: ReadonlyArray<Module> = [
  provide(Dependency.meters, async () =>
    (await import('../observing/prometheus/prometheus.ts')).prometheusMeters(VERSION),
  ),
  provide(
    Dependency.tracing,
    async ({ publicUrl }) =>
      (await import('../observing/opentelemetry/opentelemetry.ts')).openTelemetry(VERSION, publicUrl),
    Dependency.settings,
  ),
]

/** Puts what watches around the parts that are watched, whoever has provided them. */
const instrumented = (container: Container): Container => {
  const around = <T>(what: Identifier<T>, watch: (part: T, meters: Meters, tracing: Tracing) => T): void =>
    container.onActivation(what, async (context, made: T) =>
      watch(made, await context.getAsync(Dependency.meters), await context.getAsync(Dependency.tracing)),
    )
  around(Dependency.store, (store, meters, tracing) => {
    const watched = tracing.store(meters.store(store))
    const beside = BESIDE.get(store)
    if (beside !== undefined) BESIDE.set(watched, beside)
    return watched
  })
  around(Dependency.passwordHasher, (hasher, meters, tracing) =>
    tracing.passwordHasher(meters.passwordHasher(hasher)),
  )
  around(Dependency.refusals, (refusals, meters) => meters.refusals(refusals))
  around(Dependency.throttle, (throttle, meters) => meters.throttle(throttle))
  return container
}

/** What is kept beside a store of ours. Beside one that was put in its place, nothing is kept where nobody knows of it. */
type Beside = Readonly<{ failureCounts: (clock: Clock) => FailureCounts }>
const BESIDE = new WeakMap<Store, Beside>()

const openStore = async (
  { database, databasePoolSize }: Settings,
  opening: 'migrate' | 'existing' | 'read-only',
  { committedTogether }: Meters = NO_METERS,
): Promise<Store> => {
  const isLeft = opening === 'read-only'
  switch (database.kind) {
    case 'memory':
      return memoryStore()
    case 'sqlite': {
      const store = sqliteStore(database.path, isLeft ? 'read-only' : 'migrate', committedTogether)
      if (!isLeft) BESIDE.set(store, { failureCounts: (clock) => sqliteFailureCounts(database.path, clock) })
      return store
    }
    case 'postgres': {
      await openDatabase(database, opening)
      const connections = connectionsTo(database.url, databasePoolSize)
      const store = postgresStore(connections, () => announceKeys(connections), committedTogether)
      if (!isLeft) BESIDE.set(store, { failureCounts: (clock) => postgresFailureCounts(connections, clock) })
      return store
    }
  }
}

/** What the service is made of when nobody says otherwise. */
const standard = (settings: Settings): ReadonlyArray<Module> => [
  provide(Dependency.settings, () => settings),
  provide(Dependency.meters, () => NO_METERS),
  provide(Dependency.tracing, () => NO_TRACING),
  provide(
    Dependency.log,
    ({ logLevel }, { ids }) => jsonLog(logLevel, ids),
    Dependency.settings,
    Dependency.tracing,
  ),
  provide(Dependency.clock, () => systemClock),
  provide(Dependency.timer, () => systemTimer),
  provide(Dependency.random, () => systemRandom),
  provide(Dependency.digests, () => nodeDigests),
  provide(
    Dependency.store,
    (settings, meters) => openStore(settings, 'migrate', meters),
    Dependency.settings,
    Dependency.meters,
  ),
  provide(
    Dependency.failureCounts,
    (store, clock) => BESIDE.get(store)?.failureCounts(clock) ?? memoryFailureCounts(clock),
    Dependency.store,
    Dependency.clock,
  ),
  provide(
    Dependency.announcements,
    ({ databaseDirectUrl }, log) =>
      databaseDirectUrl === undefined
        ? POLL_ONLY
        : listenTo(databaseDirectUrl, (reason) => {
            if (reason === undefined) log.info('keys rotated elsewhere are heard of at once')
            else
              log.warn(
                { cause: reason },
                'DATABASE_DIRECT_URL cannot be listened on: rotated keys are looked for every second',
              )
          }),
    Dependency.settings,
    Dependency.log,
    Dependency.store, // where that cannot be opened nobody listens, for whoever does keeps the process
  ),
  provide(
    Dependency.passwordHasher,
    ({ scrypt, hashing, peppers }) => scryptPasswordHasher(scrypt, hashing, peppers),
    Dependency.settings,
  ),
  provide(
    Dependency.leakedPasswords,
    ({ leakedPasswordsFile, passwordPolicy }) => {
      if (leakedPasswordsFile === undefined) return () => TE.right(false)
      const list = leakedList(leakedPasswordsFile, minimumOf(passwordPolicy))
      if (E.isLeft(list)) throw new Error(`PASSWORD_LEAKED_FILE: ${list.left}.`)
      return list.right
    },
    Dependency.settings,
  ),
  provide(Dependency.passwordEstimator, () => zxcvbnEstimator()),
  provide(
    Dependency.findWeakness,
    (settings, leaked, estimator) =>
      findWeakness(settings.passwordPolicy, ['portcullis', hostOf(settings)], leaked, estimator),
    Dependency.settings,
    Dependency.leakedPasswords,
    Dependency.passwordEstimator,
  ),
  provide(
    Dependency.applicationTokens,
    ({ tokenLookedUp }) =>
      rememberVerified(
        jwtApplicationTokens(),
        undefined,
        (isKnown) => tokenLookedUp('application', isKnown),
        JWT_BEGINNING,
      ),
    Dependency.meters,
  ),
  provide(
    Dependency.userTokens,
    ({ tokenLookedUp }) =>
      rememberVerified(
        pasetoUserTokens(),
        undefined,
        (isKnown) => tokenLookedUp('user', isKnown),
        PASETO_BEGINNING,
      ),
    Dependency.meters,
  ),
  provide(
    Dependency.keyWrapping,
    ({ keyEncryptionKeys }) => aesKeyWrapping(keyEncryptionKeys),
    Dependency.settings,
  ),
  provide(
    Dependency.recorder,
    recorder,
    Dependency.store,
    Dependency.clock,
    Dependency.random,
    Dependency.digests,
  ),
  provide(
    Dependency.background,
    (log) => nodeBackground((error) => log.error({ error: stackOf(error) }, 'work in the background failed')),
    Dependency.log,
  ),
  provide(Dependency.refusals, noteRefusals, Dependency.recorder, Dependency.background, Dependency.clock),
  provide(
    Dependency.throttle,
    (counts, clock, digests, settings) => throttle(counts, clock, digests, settings.throttle),
    Dependency.failureCounts,
    Dependency.clock,
    Dependency.digests,
    Dependency.settings,
  ),
  provide(
    Dependency.keyring,
    async (store, application, user, wrapping, clock, record, background, announcements) => {
      const keyring = currentKeyring(
        store,
        { application, user },
        wrapping,
        clock,
        record,
        background,
        announcements,
      )
      const opened = await keyring()
      if (E.isLeft(opened)) {
        const { reason } = opened.left
        const stored = await store.listSigningKeys()()
        const shut = E.isRight(stored) ? lefts(stored.right.map(usableKey(wrapping))) : []
        const isShut = shut.some((one) => one.reason === reason)
        await announcements.close() // what listens on would keep the process
        await store.close()
        const sentence = `The signing keys cannot be read: ${reason}.`
        throw isShut ? new WrongSettings(sentence) : new Error(sentence) // another start mends a store that is away only
      }
      return keyring
    },
    Dependency.store,
    Dependency.applicationTokens,
    Dependency.userTokens,
    Dependency.keyWrapping,
    Dependency.clock,
    Dependency.recorder,
    Dependency.background,
    Dependency.announcements,
  ),
  provide(
    Dependency.validateToken,
    (store, application, user, keyring, clock, { publicUrl }) =>
      validateToken(store, { application, user }, keyring, clock, publicUrl),
    Dependency.store,
    Dependency.applicationTokens,
    Dependency.userTokens,
    Dependency.keyring,
    Dependency.clock,
    Dependency.settings,
  ),
  provide(
    Dependency.authenticate,
    (judge, throttle) => authenticate(judge, callerFailed(throttle)),
    Dependency.validateToken,
    Dependency.throttle,
  ),
  provide(
    Dependency.authenticateApplication,
    (store, clock, digests, refusals, throttle) =>
      authenticateApplication(store, clock, digests, refusals, callerFailed(throttle)),
    Dependency.store,
    Dependency.clock,
    Dependency.digests,
    Dependency.refusals,
    Dependency.throttle,
  ),
  provide(
    Dependency.apiUseCases,
    (
      authenticate,
      authenticateApplication,
      store,
      hasher,
      applicationTokens,
      userTokens,
      keyring,
      clock,
      random,
      record,
      background,
      refusals,
      throttle,
      settings,
      findWeakness,
      timer,
    ) => {
      const tokenSettings = { ...settings, issuer: settings.publicUrl }
      return {
        authenticate,
        endOtherSessions: endOtherSessions(store, clock, record),
        endSession: endSession(store, clock, record),
        listSessions: listSessions(store, clock),
        changePassword: changePassword(store, hasher, clock, record, refusals, throttle, findWeakness),
        issueApplicationToken: issueApplicationToken(
          authenticateApplication,
          applicationTokens,
          keyring,
          clock,
          random,
          record,
          tokenSettings,
        ),
        publishedKeys: publishedKeys(applicationTokens, keyring),
        publishedUserKeys: publishedUserKeys(userTokens, keyring),
        registerUser: registerUser(store, hasher, random, record, findWeakness),
        signIn: signIn(
          store,
          hasher,
          userTokens,
          keyring,
          clock,
          random,
          record,
          refusals,
          throttle,
          rehash(hasher, record, background),
          evenTiming({ store, hasher, timer }),
          tokenSettings,
        ),
        signOut: signOut(store, clock, record),
      }
    },
    Dependency.authenticate,
    Dependency.authenticateApplication,
    Dependency.store,
    Dependency.passwordHasher,
    Dependency.applicationTokens,
    Dependency.userTokens,
    Dependency.keyring,
    Dependency.clock,
    Dependency.random,
    Dependency.recorder,
    Dependency.background,
    Dependency.refusals,
    Dependency.throttle,
    Dependency.settings,
    Dependency.findWeakness,
    Dependency.timer,
  ),
  provide(
    Dependency.oauthUseCases,
    ({ authenticate, issueApplicationToken }, authenticateApplication, judge, store, clock, record) => ({
      authenticate,
      authenticateApplication,
      authenticateByKeys: authenticateByKeys(authenticateApplication),
      introspect: introspect(judge),
      issueApplicationToken,
      revokeToken: revokeToken(judge, store, clock, record),
    }),
    Dependency.apiUseCases,
    Dependency.authenticateApplication,
    Dependency.validateToken,
    Dependency.store,
    Dependency.clock,
    Dependency.recorder,
  ),
  provide(
    Dependency.operations,
    (
      settings,
      store,
      failureCounts,
      passwordHasher,
      application,
      user,
      wrapping,
      clock,
      random,
      digests,
      record,
      throttle,
      findWeakness,
      estimator,
    ) => ({
      settings,
      store,
      passwordHasher,
      formats: { application, user },
      keyWrapping: wrapping,
      registerApplication: registerApplication(random, digests, record),
      rotateApplicationKey: rotateApplicationKey(store, clock, random, digests, record),
      revokeApplication: revokeApplication(store, record),
      registerUser: registerUser(store, passwordHasher, random, record, findWeakness),
      setPassword: setPassword(store, passwordHasher, record, throttle, findWeakness),
      disableUser: disableUser(store, record),
      enableUser: enableUser(store, record),
      removeUser: removeUser(store, record),
      rotateKeys: rotateKeys(store, { application, user }, wrapping, clock, record, {
        application: settings.applicationTokenTtlSeconds,
        user: settings.userTokenTtlSeconds,
      }),
      checkLog: checkLog(store, clock, digests),
      renewLog: renewLog(store, clock, random, digests),
      firstRun: firstRun(
        store,
        passwordHasher,
        random,
        digests,
        record,
        findWeakness,
        settings.passwordPolicy,
      ),
      close: async () => {
        await estimator.close()
        await failureCounts.close()
        await store.close()
      },
    }),
    Dependency.settings,
    Dependency.store,
    Dependency.failureCounts,
    Dependency.passwordHasher,
    Dependency.applicationTokens,
    Dependency.userTokens,
    Dependency.keyWrapping,
    Dependency.clock,
    Dependency.random,
    Dependency.digests,
    Dependency.recorder,
    Dependency.throttle,
    Dependency.findWeakness,
    Dependency.passwordEstimator,
  ),
  provide(
    Dependency.described,
    (api, oauth, store, meters, settings) => (isDraining) => {
      const prefix = prefixOf(settings)
      const routes = [
        ...apiRoutes(api, store, prefix, settings.passwordPolicy)(isDraining),
        ...oauthRoutes(oauth, settings.publicUrl, prefix),
        ...(settings.metricsPort === undefined ? [metricsRoute(meters.exposition)] : []),
        ...docsRoutes(() => JSON.parse(described.document()), settings.publicUrl, prefix),
      ]
      const described: OpenApiSpec = withOpenApi(routes, prefix, VERSION)
      return described
    },
    Dependency.apiUseCases,
    Dependency.oauthUseCases,
    Dependency.store,
    Dependency.meters,
    Dependency.settings,
  ),
  provide(
    Dependency.httpService,
    (described, log, random, meters, tracing, { metricsPort, trustedProxies }) => {
      const serving = (routes: (isDraining: () => boolean) => ReadonlyArray<Route>): HttpService =>
        httpService(routes, log, () => random.uuid(), trustedProxies, undefined, {
          ...meters.requests,
          within: tracing.within,
        })
      const main = serving((isDraining) => described(isDraining).routes)
      return metricsPort === undefined
        ? main
        : withMetricsOn(
            metricsPort,
            serving(() => [metricsRoute(meters.exposition)]),
            main,
          )
    },
    Dependency.described,
    Dependency.log,
    Dependency.random,
    Dependency.meters,
    Dependency.tracing,
    Dependency.settings,
  ),
  provide(
    Dependency.service,
    (operations, api, oauth, described, http, background, log, announcements) => {
      if (isCheaperThanRecommended(operations.settings.scrypt))
        log.warn('password hashes cost less than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P')
      return {
        ...operations,
        ...api,
        ...oauth,
        ...http,
        openApi: () => described(() => false).document(),
        stop: async () => {
          await http.stop()
          await announcements.close()
          await background.close()
          await operations.close()
          await flushed(log)
        },
      }
    },
    Dependency.operations,
    Dependency.apiUseCases,
    Dependency.oauthUseCases,
    Dependency.described,
    Dependency.httpService,
    Dependency.background,
    Dependency.log,
    Dependency.announcements,
  ),
]

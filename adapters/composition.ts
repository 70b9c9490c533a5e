import 'reflect-metadata'
import * as E from 'fp-ts/lib/Either.js'
import { type AbstractNewable, Container, ContainerModule } from 'inversify'
import type { Logger } from 'pino'
import { type Authenticate, authenticate } from '../application/authenticate.ts'
import { changePassword } from '../application/change-password.ts'
import { type FirstRun, firstRun } from '../application/first-run.ts'
import { issueApplicationToken } from '../application/issue-application-token.ts'
import { type Keyring, openKeyring } from '../application/keyring.ts'
import type { Clock, Digests, Random } from '../application/ports/environment.ts'
import type { PasswordHasher } from '../application/ports/password-hasher.ts'
import type { Store } from '../application/ports/store.ts'
import type { ApplicationTokens, UserTokens } from '../application/ports/token-format.ts'
import { publishedKeys } from '../application/published-keys.ts'
import { type Recorder, recorder } from '../application/recorder.ts'
import { type RegisterApplication, registerApplication } from '../application/register-application.ts'
import { type RegisterUser, registerUser } from '../application/register-user.ts'
import { signIn } from '../application/sign-in.ts'
import { signOut } from '../application/sign-out.ts'
import { prefixOf, type Settings } from './config.ts'
import { type ApiUseCases, apiRoutes } from './http/api/routes.ts'
import { type HttpService, httpService } from './http/service.ts'
import { jwtApplicationTokens } from './jwt/application-tokens.ts'
import { memoryStore } from './memory/store.ts'
import { nodeDigests, systemClock, systemRandom } from './node/environment.ts'
import { pasetoUserTokens } from './paseto/user-tokens.ts'
import { flushed, jsonLog } from './pino/log.ts'
import { scryptPasswordHasher } from './scrypt/password-hasher.ts'
import { sqliteStore } from './sqlite/store.ts'
import { rememberVerified } from './token-cache/verified.ts'

export type { Clock, Digests, Random } from '../application/ports/environment.ts'
export type { HashingRefused, PasswordHasher } from '../application/ports/password-hasher.ts'
export type {
  Change,
  Conflict,
  EmailTaken,
  LogEntry,
  Row,
  Store,
  StoreUnavailable,
} from '../application/ports/store.ts'
export type {
  ApplicationTokens,
  InvalidToken,
  KeyUnusable,
  TokenFormat,
  UserTokens,
} from '../application/ports/token-format.ts'
export type { Call } from '../application/recorder.ts'
export { type Settings, settingsFrom } from './config.ts'
export { memoryStore } from './memory/store.ts'

/**
 * The one place that knows what there is and joins it, and the package's entry.
 *
 * Whatever stands in `Part` can be replaced: `compose(settings, provide(Part.store, () => myStore()))`.
 */

/** Names a part and says of what type it is. */
export type Identifier<T> = AbstractNewable<T>

const part = <T>(name: string): Identifier<T> => ({ [name]: class {} })[name] as unknown as Identifier<T> // only ever a key: nothing is made of it

export const Part = {
  settings: part<Settings>('settings'),
  log: part<Logger>('log'),
  clock: part<Clock>('clock'),
  random: part<Random>('random'),
  digests: part<Digests>('digests'),
  store: part<Store>('store'),
  passwordHasher: part<PasswordHasher>('passwordHasher'),
  applicationTokens: part<ApplicationTokens>('applicationTokens'),
  userTokens: part<UserTokens>('userTokens'),
  recorder: part<Recorder>('recorder'),
  keyring: part<Keyring>('keyring'),
  authenticate: part<Authenticate>('authenticate'),
  apiUseCases: part<ApiUseCases>('apiUseCases'),
  httpService: part<HttpService>('httpService'),
  operations: part<Operations>('operations'),
  service: part<Service>('service'),
}

/** What an operator does, without any HTTP. */
export type Operations = Readonly<{
  settings: Settings
  store: Store
  registerApplication: RegisterApplication
  registerUser: RegisterUser
  firstRun: FirstRun
}>

/** The whole service. `stop` answers what is in flight and then closes the store. */
export type Service = Operations & ApiUseCases & HttpService

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
  containerOf(settings, modules).getAsync(Part.service)

/** Only what operators need: no signing keys are made, and nothing of HTTP. */
export const composeOperations = (
  settings: Settings,
  ...modules: ReadonlyArray<Module>
): Promise<Operations> => containerOf(settings, modules).getAsync(Part.operations)

const containerOf = (settings: Settings, modules: ReadonlyArray<Module>): Container => {
  const container = new Container()
  container.load(...standard(settings), ...modules)
  return container
}

/** What the service is made of when nobody says otherwise. */
const standard = (settings: Settings): ReadonlyArray<Module> => [
  provide(Part.settings, () => settings),
  provide(Part.log, ({ logLevel }) => jsonLog(logLevel), Part.settings),
  provide(Part.clock, () => systemClock),
  provide(Part.random, () => systemRandom),
  provide(Part.digests, () => nodeDigests),
  provide(
    Part.store,
    ({ database }) => (database.kind === 'memory' ? memoryStore() : sqliteStore(database.path)),
    Part.settings,
  ),
  provide(Part.passwordHasher, ({ scrypt, hashing }) => scryptPasswordHasher(scrypt, hashing), Part.settings),
  provide(Part.applicationTokens, () => rememberVerified(jwtApplicationTokens())),
  provide(Part.userTokens, () => rememberVerified(pasetoUserTokens())),
  provide(Part.recorder, recorder, Part.store, Part.clock, Part.random, Part.digests),
  provide(
    Part.keyring,
    async (store, application, user, clock, record) => {
      const opened = await openKeyring(store, { application, user }, clock, record)()
      if (E.isLeft(opened)) {
        await store.close()
        throw new Error(`The signing keys cannot be read: ${opened.left.reason}.`)
      }
      return opened.right
    },
    Part.store,
    Part.applicationTokens,
    Part.userTokens,
    Part.clock,
    Part.recorder,
  ),
  provide(
    Part.authenticate,
    (store, application, user, keyring, clock, { publicUrl }) =>
      authenticate(store, { application, user }, keyring, clock, publicUrl),
    Part.store,
    Part.applicationTokens,
    Part.userTokens,
    Part.keyring,
    Part.clock,
    Part.settings,
  ),
  provide(
    Part.apiUseCases,
    (
      authenticate,
      store,
      hasher,
      applicationTokens,
      userTokens,
      keyring,
      clock,
      random,
      digests,
      record,
      settings,
    ) => {
      const tokenSettings = { ...settings, issuer: settings.publicUrl }
      return {
        authenticate,
        changePassword: changePassword(store, hasher, clock, record),
        issueApplicationToken: issueApplicationToken(
          store,
          applicationTokens,
          keyring,
          clock,
          random,
          digests,
          record,
          tokenSettings,
        ),
        publishedKeys: publishedKeys(applicationTokens, keyring),
        signIn: signIn(store, hasher, userTokens, keyring, clock, random, record, tokenSettings),
        signOut: signOut(store, clock, record),
      }
    },
    Part.authenticate,
    Part.store,
    Part.passwordHasher,
    Part.applicationTokens,
    Part.userTokens,
    Part.keyring,
    Part.clock,
    Part.random,
    Part.digests,
    Part.recorder,
    Part.settings,
  ),
  provide(
    Part.operations,
    (settings, store, hasher, random, digests, record) => ({
      settings,
      store,
      registerApplication: registerApplication(random, digests, record),
      registerUser: registerUser(store, hasher, random, record),
      firstRun: firstRun(store, hasher, random, digests, record),
    }),
    Part.settings,
    Part.store,
    Part.passwordHasher,
    Part.random,
    Part.digests,
    Part.recorder,
  ),
  provide(
    Part.httpService,
    (useCases, store, log, random, settings) =>
      httpService(apiRoutes(useCases, store, prefixOf(settings)), log, () => random.uuid()),
    Part.apiUseCases,
    Part.store,
    Part.log,
    Part.random,
    Part.settings,
  ),
  provide(
    Part.service,
    (operations, useCases, http, store, log) => ({
      ...operations,
      ...useCases,
      ...http,
      stop: async () => {
        await http.stop()
        await store.close()
        await flushed(log)
      },
    }),
    Part.operations,
    Part.apiUseCases,
    Part.httpService,
    Part.store,
    Part.log,
  ),
]

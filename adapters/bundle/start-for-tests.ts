import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { RegistrationFailure } from '../../application/accounts/register-user.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import type { Throttled } from '../../application/throttling/throttle.ts'
import { type ApplicationRequest, SCOPES } from '../../domain/application.ts'
import { isRpId } from '../../domain/passkey-origins.ts'
import { failureText, type Refusal } from '../cli/application-failures.ts'
import {
  compose,
  Dependency,
  type Environment,
  type Module,
  NO_REQUEST,
  type Service,
  type Settings,
  settings,
} from '../composition/package.ts'
import {
  refuseOtherOptions,
  type TestApplication,
  type TestApplicationOptions,
  type TestClientOptions,
} from './test-applications.ts'

export type { Environment, Module, TestApplication, TestApplicationOptions }

/** A service in memory for the tests of a product, with an application and a user. `Name` is that of a further application. */
export type TestService<Name extends string = string> = Readonly<{
  /** Answers a request without a socket, as the service would over one. It takes what the global `fetch` takes, and follows no redirect. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  /** The `PUBLIC_URL` of the service. With `listen`, it answers there over HTTP too. */
  url: string
  application: TestApplication
  /** Those of the option `applications`, by name. */
  applications: Readonly<Record<Name, TestApplication>>
  /** `ada@example.com`, with another password at each start. The e-mail is not verified, as after a registration. */
  user: Readonly<{ id: string; email: string; password: string }>
  /** Answers the open requests, then forgets all data. Later calls return the same promise. */
  stop(): Promise<void>
}>

export type TestOptions<Name extends string = string> = Readonly<{
  /** The settings of docs/settings.md, over the defaults of docs/testing.md. Of the environment, nothing is read. */
  settings?: Environment
  /** Replace dependencies, except the store: `provide(Dependency.passwordRules, () => [rule])`. */
  modules?: ReadonlyArray<Module>
  /** Whether the service also listens, on a free port of 127.0.0.1. False by default. */
  listen?: boolean
  /** The scope of the application, separated by spaces. By default it has everything. */
  scope?: string
  /** The origins of the pages that can use passkeys. By default one at `PASSKEY_RP_ID`. */
  passkeyOrigins?: ReadonlyArray<string>
  /** Further applications, by name. */
  applications?: Readonly<Record<Name, TestApplicationOptions>>
}> &
  TestClientOptions

/** `startForTests` of `portcullis/testing`. */
export const startForTests = async <Name extends string>(
  options: TestOptions<Name>,
): Promise<TestService<Name>> => {
  refuseOtherOptions(options)
  const given = setOf(options.settings)
  refuseOtherStores(given, options.modules)
  refuseOtherPlaces(given, options.listen)
  const held = options.listen ? await holdPort() : undefined
  let service: Service | undefined
  try {
    const url = held?.url ?? (given.PUBLIC_URL || URL_WITHOUT_SOCKET)
    // Last, because an empty setting would mean the store and the URL of production.
    const read = settings({ ...defaultsAt(url, given), ...given, DATABASE_URL: 'memory:', PUBLIC_URL: url })
    service = await compose(read, ...(options.modules ?? []))
    return await testService(service, read, options, held?.server)
  } catch (error) {
    held?.server.close()
    await service?.stop()
    throw error
  }
}

/** Settings that differ from production (docs/testing.md). */
const defaultsAt = (url: string, given: Environment): Environment => ({
  LOG_LEVEL: 'silent',
  SCRYPT_LOG_N: '1',
  SCRYPT_P: '1',
  SECOND_FACTORS: 'on',
  PASSKEY_RP_ID: rpIdAt(url),
  ...(given.KEY_ENCRYPTION_KEY_FILE
    ? {}
    : { KEY_ENCRYPTION_KEY: `tests:${randomBytes(32).toString('hex')}` }),
})

/** The host of the URL, or `localhost` for an IP address, which has no passkeys. */
const rpIdAt = (url: string): string => {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return isRpId(host) ? host : 'localhost'
}

const URL_WITHOUT_SOCKET = 'http://portcullis.test'

type GivenOptions = {
  readonly [Option in keyof TestApplicationOptions]: TestApplicationOptions[Option] | undefined
}

const testService = async <Name extends string>(
  service: Service,
  settings: Settings,
  { scope, passkeyOrigins, redirectUris, logoutUris, client, pkce, applications }: TestOptions<Name>,
  held: Server | undefined,
): Promise<TestService<Name>> => {
  const { publicUrl: url, passkeyRpId } = settings
  const register = async (name: string, options: GivenOptions): Promise<TestApplication> => {
    const { scope = SCOPES.join(' '), passkeyOrigins = originsOf(passkeyRpId), ...more } = options
    const request = { ...more, name, scope, passkeyOrigins }
    const made = await succeed(
      service.registerApplication(NO_REQUEST, request),
      applicationRefused(name, request, settings),
    )
    const { publicApiKey, privateApiKey, application } = made
    return { id: application.id, name, publicApiKey, privateApiKey, passkeyOrigins }
  }
  const ofClient = { redirectUris, logoutUris, client, pkce }
  const application = await register('tests', { scope, passkeyOrigins, ...ofClient })
  const others: Array<readonly [string, TestApplication]> = []
  for (const [name, options] of Object.entries<TestApplicationOptions>(applications ?? {}))
    others.push([name, await register(name, options)])
  const credentials = { email: 'ada@example.com', password: newPassword() }
  const { id } = await succeed(
    service.registerUser(NO_REQUEST, credentials, { kind: 'operator' }),
    userRefused,
  )
  if (held !== undefined) await service.listen(HOST, held)
  let stopped: Promise<void> | undefined
  return {
    fetch: (input, init) => service.fetch(input, init),
    url,
    application,
    applications: Object.fromEntries(others) as Record<Name, TestApplication>,
    user: { id, ...credentials },
    stop: () => {
      stopped ??= service.stop()
      return stopped
    },
  }
}

const HOST = '127.0.0.1'

/** A port that stays taken until the service listens on it, so that PUBLIC_URL can name it before. */
const holdPort = async (): Promise<Readonly<{ server: Server; url: string }>> => {
  const server = createServer((socket) => socket.destroy()).listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return { server, url: `http://${HOST}:${address.port}` }
}

/** Browsers take passkeys only over https or at localhost. */
const originsOf = (rpId: string | undefined): ReadonlyArray<string> =>
  rpId === undefined ? [] : [rpId === 'localhost' ? 'http://localhost' : `https://${rpId}`]

/** Has characters of every kind, and a length that every PASSWORD_MIN_LENGTH allows. */
const newPassword = (): string => `Aa1-${randomBytes(48).toString('base64url')}`

/** The settings that have a value. An empty one overrides a default. */
const setOf = (all: Environment = {}): Environment =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))

/** Data of a real store must not be at the mercy of tests. */
const refuseOtherStores = (given: Environment, modules: ReadonlyArray<Module> = []): void => {
  const isMemory = (name: string, value = '') =>
    value === '' || (name === 'DATABASE_URL' && value === 'memory:')
  const [other] =
    Object.entries(given).find(([name, value]) => /^DATABASE_/.test(name) && !isMemory(name, value)) ?? []
  if (other !== undefined)
    throw new Error(
      `startForTests keeps all data in memory. Remove ${other} from settings, or compose the service (docs/embed.md).`,
    )
  const module = modules.find(({ what }) => OF_STORES.includes(what))
  if (module !== undefined)
    throw new Error(
      `startForTests keeps all data in memory. Remove the module that provides Dependency.${module.what.name}, or compose the service with it (docs/embed.md).`,
    )
}

const OF_STORES: ReadonlyArray<Module['what']> = [Dependency.storage, Dependency.store, Dependency.settings]

const refuseOtherPlaces = (given: Environment, listen = false): void => {
  const refused = ['HOST', 'PORT', ...(listen ? ['PUBLIC_URL'] : [])].find((name) => given[name])
  if (refused !== undefined)
    throw new Error(
      `startForTests chooses ${refused}. Remove it from settings. With listen: true, the service listens at its url.`,
    )
}

/** The result of a use case, which only settings and modules of the caller can make fail. */
const succeed = async <E, A>(task: TaskEither<E, A>, explain: (failure: E) => string): Promise<A> => {
  const result = await task()
  if (isLeft(result)) throw new Error(explain(result.left))
  return result.right
}

/** Returns why the options of `startForTests` refuse an application, as the command says it, with the names of the options. */
const applicationRefused =
  (name: string, request: Partial<ApplicationRequest>, settings: Settings) =>
  (failure: Refusal | StoreUnavailable): string =>
    `startForTests cannot make its application ${name}. ${
      failure._tag === 'StoreUnavailable'
        ? failure.reason
        : failureText(
            request,
            settings,
          )(failure).replaceAll(/--([a-z0-9-]+)/g, (_, option) => inCamelCase(option))
    }`

/** `redirect-uri`, which a command takes several times, is `redirectUris`. */
const inCamelCase = (option: string): string =>
  option.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).replace(/Uri$/, 'Uris')

/** Returns why the user of `startForTests` cannot be made. Its password is random and long, so only a rule of the caller refuses it. */
const userRefused = (failure: RegistrationFailure | Throttled): string =>
  `startForTests cannot make its user. ${
    'problems' in failure
      ? `A password rule refuses its random password (${failure.problems.join(', ')}). Change passwordRules or PASSWORD_* in settings.`
      : 'reason' in failure
        ? `${failure.reason}.`
        : 'The machine is overloaded. Try again.'
  }`

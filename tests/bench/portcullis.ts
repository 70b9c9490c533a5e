import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import type { Place } from './machine.ts'
import { type Subject, startSubject } from './subject.ts'

export type Credentials = Readonly<{ email: string; password: string }>
export type Keys = Readonly<{ public_api_key: string; private_api_key: string }>

/** A store with one application and two users, made by the command line of a built tree. */
export type Prepared = Readonly<{
  tree: string
  folder: string
  environment: Readonly<Record<string, string>>
  keys: Keys
  credentials: Credentials
  /** Whom a load signs in. Beyond 100 sessions each sign-in ends one, so this is not the user of `userToken`. */
  busy: Credentials
  /** The file of `--with`. */
  parts?: string
}>

/** Attempts count as failures until their password was checked, and the load has one user. */
export const MANY_ATTEMPTS = { THROTTLE_ACCOUNT_FAILURES: '1000000', THROTTLE_SIGN_INS: '1000000' }

/** Signing in takes no noticeable time with these settings. */
export const CHEAP_HASHES = { ...MANY_ATTEMPTS, SCRYPT_LOG_N: '1', SCRYPT_P: '1', HASHING_WAIT: '600' }

/**
 * @param settings on top of the defaults: SQLite on disk, the shipped hashing cost, one log line per request
 */
export const prepare = (
  tree: string,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Prepared => {
  const own = mkdtempSync(join(folder, 'store-'))
  const environment = {
    DATABASE_URL: `sqlite:${join(own, 'portcullis.db')}`,
    PUBLIC_URL: 'http://bench.test',
    ...settings,
  }
  const run = (words: ReadonlyArray<string>, input = '') =>
    runCommand({ tree, folder: own, environment }, words, input)
  const credentials = { email: 'bench@example.com', password: PASSWORD }
  const scope = 'users:sign_in users:register users:confirm_email tokens:introspect events:read'
  const keys = JSON.parse(run(['application', 'create', '--name', 'bench', '--scope', scope, '--json']))
  const busy = { email: 'busy@example.com', password: PASSWORD }
  for (const { email, password } of [credentials, busy])
    run(['user', 'create', '--email', email, '--password-stdin'], password)
  const { public_api_key, private_api_key } = keys
  return { tree, folder: own, environment, keys: { public_api_key, private_api_key }, credentials, busy }
}

/** Runs a command on the store, and returns its output. */
export const runCommand = (
  { tree, folder, environment }: Pick<Prepared, 'tree' | 'folder' | 'environment'>,
  words: ReadonlyArray<string>,
  input = '',
): string =>
  execFileSync(process.execPath, [mainOf(tree), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    input,
    encoding: 'utf8',
    stdio: 'pipe', // an error has what the command said
  })

/** The file of a store in SQLite. */
export const fileOf = ({ environment }: Pick<Prepared, 'environment'>): string =>
  (environment.DATABASE_URL ?? '').slice('sqlite:'.length)

const PASSWORD = 'correct horse battery staple'

export const mainOf = (tree: string): string => join(tree, 'dist', 'adapters', 'main.js')

/** A running service, and what its clients need. */
export type Service = Subject &
  Readonly<{
    prepared: Prepared
    applicationToken: string
    userToken: string
    /** Signs a user in, and resolves with the token. */
    signIn: (credentials?: Credentials) => Promise<string>
    /** Registers one more user. */
    register: () => Promise<Credentials>
  }>

export const serve = async (prepared: Prepared, place: Place = 0): Promise<Service> => {
  const { tree, folder, environment, keys, credentials, parts } = prepared
  const subject = await startSubject({
    words: [mainOf(tree), ...(parts === undefined ? [] : ['--with', parts]), 'serve'],
    environment: { ...environment, PORT: String(await freePort()) },
    place,
    folder,
  })
  const { send, close } = httpClient(`http://127.0.0.1:${subject.port}`)
  const issued = await send({ method: 'POST', path: TOKEN_PATH, body: keys })
  const { token } = issued.body
  const signIn: Service['signIn'] = async (body = credentials) => {
    const signedIn = await send({ method: 'POST', path: SIGN_IN_PATH, token, body })
    if (signedIn.status !== 200) throw new Error(`sign-in: ${signedIn.status} ${signedIn.body.message}`)
    return signedIn.body.token
  }
  let registered = 0
  const register: Service['register'] = async () => {
    registered += 1
    const body = { email: `new-${registered}@example.com`, password: PASSWORD }
    const made = await send({ method: 'POST', path: USERS_PATH, token, body })
    if (made.status !== 201) throw new Error(`registration: ${made.status} ${made.body.message}`)
    return body
  }
  return {
    ...subject,
    prepared,
    applicationToken: token,
    userToken: await signIn(),
    signIn,
    register,
    stop: async () => {
      await close().catch(() => {}) // stopped before
      await subject.stop()
    },
  }
}

export const TOKEN_PATH = '/api/v1/auth/application/token'
export const USERS_PATH = '/api/v1/users'
export const SIGN_IN_PATH = '/api/v1/auth/user/token'
export const RENEW_PATH = '/api/v1/auth/user/token/renew'
export const PROFILE_PATH = '/api/v1/profile'

import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { minimumOf, type PasswordPolicy } from '../../domain/password-policy.ts'
import {
  DATABASE_RULE,
  type Database,
  POSTGRES_RULE,
  parseDatabaseUrl,
  parsePostgresUrl,
  ruleOfUrl,
} from './database-url.ts'
import { SECRETS, secretFiles } from './secret-files.ts'
import { type Environment, misspeltNames } from './setting-names.ts'

/** All that can be set from outside. */
export type Settings = Readonly<{
  host: string
  port: number
  /** Metrics are served there and nowhere else; at the port of everything else where there is none. */
  metricsPort: number | undefined
  database: Database
  /** So many connections to PostgreSQL at once. */
  databasePoolSize: number
  /** The same database without a pooler in between, to listen on. */
  databaseDirectUrl: string | undefined
  /** Where clients reach the service, without a slash at the end. It is the issuer of every token. */
  publicUrl: string
  applicationTokenTtlSeconds: number
  userTokenTtlSeconds: number
  scrypt: Readonly<{ logN: number; r: number; p: number }>
  /** The first is the one new password records are made with; the others are for records made before. */
  peppers: ReadonlyArray<NamedSecret>
  /** The first is the one signing keys are encrypted under; the others are for keys encrypted before. None: they are kept plain. */
  keyEncryptionKeys: ReadonlyArray<NamedSecret>
  hashing: Readonly<{ concurrency: number; maxWaitMs: number }>
  throttle: Readonly<{ accountFailures: number; addressFailures: number }>
  /** How many proxies stand in front, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number
  passwordPolicy: PasswordPolicy
  /** A list that no new password may be on. */
  leakedPasswordsFile: string | undefined
  logLevel: LogLevel
}>

/** What was made with a secret names it by its id, so that it can be changed. */
export type NamedSecret = Readonly<{ id: string; secret: string }>

/** Settings that only the store shows to be wrong. The message is a sentence for operators. */
export class WrongSettings extends Error {}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export type { Environment }

/** The process's environment over a `.env` file in `folder`, where there is one. */
export const environmentOf = (processEnvironment: Environment, folder: string): Environment => {
  const set = Object.entries(processEnvironment).filter(([, value]) => value !== '') // an empty one counts as not set
  return { ...envFileOf(folder), ...Object.fromEntries(set) }
}

/** The names in the `.env` file in `folder` that are not settings. They do nothing. */
export const unknownNamesIn = (folder: string): ReadonlyArray<string> =>
  Object.keys(envFileOf(folder)).filter((name) => !SETTINGS.includes(name))

const envFileOf = (folder: string): Environment => {
  const file = join(folder, '.env')
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
}

/** The settings an environment makes, or one sentence for each setting that is wrong. */
export const settingsFrom = (environment: Environment): E.Either<ReadonlyArray<string>, Settings> => {
  const files = secretFiles(environment)
  const decoded = pipe(
    Variables.decode({ ...environment, ...files.contents }),
    E.map(toSettings),
    E.mapLeft((errors) => errors.map(({ context, message }) => `${context[1]?.key}: ${message}`)),
  )
  const wrong = [
    ...misspeltNames(environment, SETTINGS),
    ...files.wrong,
    ...(E.isLeft(decoded) ? decoded.left : []),
  ]
  return wrong.length > 0 ? E.left(wrong) : decoded
}

/** One variable: what it means, what it is when it is not set (an empty one is not), and what is said of a wrong one. */
const variable = <A>(
  fallback: A,
  parse: (text: string) => A | undefined,
  rule: string | ((text: string) => string),
) =>
  new t.Type<A, string, unknown>(
    'variable',
    (u): u is A => u !== undefined,
    (u, context) => {
      if (u === undefined || u === '') return t.success(fallback)
      const value = typeof u === 'string' ? parse(u) : undefined
      if (value !== undefined) return t.success(value)
      return t.failure(u, context, typeof rule === 'string' ? rule : rule(String(u)))
    },
    String,
  )

const integer = <Fallback extends number | undefined>(fallback: Fallback, min: number, max: number) =>
  variable<number | Fallback>(
    fallback,
    (text) =>
      /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
    `a whole number from ${min} to ${max}`,
  )

const oneOf = <Word extends string>(fallback: Word, ...words: ReadonlyArray<Word>) =>
  variable<Word>(fallback, (text) => words.find((word) => word === text), `one of ${words.join(', ')}`)

const namedSecrets = (newThings: string) =>
  variable<ReadonlyArray<NamedSecret>>(
    [],
    parseNamedSecrets,
    `ID:SECRET, or several of them with a space between, the one for new ${newThings} first; an ID is 1 to 16 of A-Z a-z 0-9 _ - and used once, a SECRET has 32 to 256 printable characters but no comma (make one with: openssl rand -hex 32)`,
  )

/** Refused where it would do nothing: to take it all the same would be worse than to say so. */
const only =
  (where: string, isThere: (others: Environment) => boolean) =>
  <A>(type: t.Type<A, string, unknown>) =>
    new t.Type<A, string, unknown>(
      type.name,
      type.is,
      (u, context) =>
        u === undefined || u === '' || isThere(Object(context[0]?.actual))
          ? type.validate(u, context)
          : t.failure(u, context, `it does something only with ${where}`),
      type.encode,
    )

const onlyUnderNist = only('PASSWORD_POLICY=nist', ({ PASSWORD_POLICY }) => PASSWORD_POLICY === 'nist')

/** A port of its own: what is served there is not for everybody. */
const anotherPort = (type: t.Type<number | undefined, string, unknown>) =>
  new t.Type<number | undefined, string, unknown>(
    type.name,
    type.is,
    (u, context) => {
      const { PORT }: Environment = Object(context[0]?.actual)
      const isTaken = typeof u === 'string' && u !== '' && Number(u) === Number(PORT || DEFAULT_PORT)
      return isTaken ? t.failure(u, context, 'another port than PORT') : type.validate(u, context)
    },
    type.encode,
  )

const onlyWithPostgres = only(
  'DATABASE_URL=postgres://…',
  ({ DATABASE_URL }) => /^postgres(ql)?:/.test(DATABASE_URL ?? ''), // also a wrong one: that is said of itself
)

const DEFAULT_PORT = 8080

const A_YEAR_SECONDS = 365 * 24 * 3600

/** One core is always left to everybody else, and of libuv's four threads one. */
const HASHES_AT_ONCE = Math.min(3, Math.max(1, availableParallelism() - 1))

const Variables = t.type({
  PORT: integer(DEFAULT_PORT, 1, 65_535),
  METRICS_PORT: anotherPort(integer(undefined, 1, 65_535)),
  HOST: variable(
    '127.0.0.1',
    (text) =>
      isIP(text) !== 0 || (/^[0-9A-Za-z._-]+$/.test(text) && URL.canParse(`http://${text}`))
        ? text
        : undefined,
    'an address or a host name',
  ),
  DATABASE_URL: variable<Database>(
    { kind: 'sqlite', path: './data/portcullis.db' },
    parseDatabaseUrl,
    ruleOfUrl(DATABASE_RULE),
  ),
  DATABASE_POOL_SIZE: onlyWithPostgres(integer(10, 2, 1_000)),
  DATABASE_DIRECT_URL: onlyWithPostgres(
    variable<string | undefined>(undefined, parsePostgresUrl, ruleOfUrl(POSTGRES_RULE)),
  ),
  PUBLIC_URL: variable<string | undefined>(
    undefined,
    parsePublicUrl,
    'an http or https URL without user, query, fragment or a slash at the end',
  ),
  APPLICATION_TOKEN_TTL: integer(3_600, 1, A_YEAR_SECONDS),
  USER_TOKEN_TTL: integer(43_200, 1, A_YEAR_SECONDS),
  SCRYPT_LOG_N: integer(15, 1, 18),
  SCRYPT_R: integer(8, 2, 32),
  SCRYPT_P: integer(3, 1, 16),
  HASHING_CONCURRENCY: integer(HASHES_AT_ONCE, 1, 3),
  HASHING_WAIT: integer(2, 0, 3_600),
  LOG_LEVEL: oneOf<LogLevel>('info', 'trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  PASSWORD_PEPPER: namedSecrets('passwords'),
  KEY_ENCRYPTION_KEY: namedSecrets('signing keys'),
  THROTTLE_ACCOUNT_FAILURES: integer(30, 1, 1_000_000),
  THROTTLE_ADDRESS_FAILURES: integer(300, 1, 1_000_000),
  TRUST_PROXY: integer(0, 0, 16),
  PASSWORD_POLICY: oneOf<PasswordPolicy['kind']>('contract', 'contract', 'nist'),
  PASSWORD_MIN_LENGTH: onlyUnderNist(integer(15, 8, 64)),
  PASSWORD_LEAKED_FILE: onlyUnderNist(
    variable<string | undefined>(undefined, (text) => text, 'the path of a file'),
  ),
})

/**
 * Whether a hash costs less than the cheapest of the settings OWASP recommends, by the work it takes (N·r·p blocks):
 * N=2^13, r=8, p=10.
 */
export const isCheaperThanRecommended = ({ logN, r, p }: Settings['scrypt']): boolean =>
  2 ** logN * r * p < 2 ** 13 * 8 * 10

/** The names of all settings. */
export const SETTINGS: ReadonlyArray<string> = [
  ...Object.keys(Variables.props),
  ...SECRETS.map((name) => `${name}_FILE`),
]

const toSettings = (set: t.TypeOf<typeof Variables>): Settings => ({
  host: set.HOST,
  port: set.PORT,
  metricsPort: set.METRICS_PORT,
  database: set.DATABASE_URL,
  databasePoolSize: set.DATABASE_POOL_SIZE,
  databaseDirectUrl: set.DATABASE_DIRECT_URL,
  publicUrl: set.PUBLIC_URL ?? `http://${set.HOST.includes(':') ? `[${set.HOST}]` : set.HOST}:${set.PORT}`,
  applicationTokenTtlSeconds: set.APPLICATION_TOKEN_TTL,
  userTokenTtlSeconds: set.USER_TOKEN_TTL,
  peppers: set.PASSWORD_PEPPER,
  keyEncryptionKeys: set.KEY_ENCRYPTION_KEY,
  scrypt: { logN: set.SCRYPT_LOG_N, r: set.SCRYPT_R, p: set.SCRYPT_P },
  hashing: { concurrency: set.HASHING_CONCURRENCY, maxWaitMs: set.HASHING_WAIT * 1000 },
  throttle: {
    accountFailures: set.THROTTLE_ACCOUNT_FAILURES,
    addressFailures: set.THROTTLE_ADDRESS_FAILURES,
  },
  trustedProxies: set.TRUST_PROXY,
  passwordPolicy:
    set.PASSWORD_POLICY === 'nist'
      ? { kind: 'nist', minCodePoints: set.PASSWORD_MIN_LENGTH }
      : { kind: 'contract' },
  leakedPasswordsFile: set.PASSWORD_LEAKED_FILE,
  logLevel: set.LOG_LEVEL,
})

function parseNamedSecrets(text: string): ReadonlyArray<NamedSecret> | undefined {
  const secrets = text.split(/\s+/).map((word) => /^([A-Za-z0-9_-]{1,16}):([!-+\--~]{32,256})$/.exec(word))
  const ids = new Set(secrets.map((parts) => parts?.[1]))
  return ids.size === secrets.length && !ids.has(undefined)
    ? secrets.map((parts) => ({ id: parts?.[1] ?? '', secret: parts?.[2] ?? '' }))
    : undefined
}

/** Its path becomes the prefix of the routes, so it holds nothing that would mean something in a pattern. */
function parsePublicUrl(text: string): string | undefined {
  const plain = /^https?:\/\/[^/?#@\\\s]+(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/.test(text)
  return plain && URL.canParse(text) ? text : undefined
}

/** The path part of the public URL: it stands before every route. */
export const prefixOf = ({ publicUrl }: Settings): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** The host under which clients reach the service, without a port. */
export const hostOf = ({ publicUrl }: Settings): string => new URL(publicUrl).hostname

/** What is told of the store where somebody asks for the settings: nothing secret. */
export const databaseText = ({ database }: Settings): string => {
  switch (database.kind) {
    case 'memory':
      return 'memory'
    case 'sqlite':
      return database.path
    case 'postgres':
      return database.place
  }
}

/** What is told of the policy where somebody asks for the settings. */
export const policyText = ({ passwordPolicy, leakedPasswordsFile }: Settings): string =>
  passwordPolicy.kind === 'contract'
    ? 'contract'
    : `nist (${minimumOf(passwordPolicy)} characters at least, ${leakedPasswordsFile === undefined ? 'no list of' : `with ${leakedPasswordsFile} for`} leaked passwords)`

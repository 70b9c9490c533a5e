import { availableParallelism } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { MAX_LIFETIME_SECONDS } from '../../domain/lifetimes.ts'
import { isName } from '../../domain/name.ts'
import type { PasswordPolicy } from '../../domain/password-policy.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { type Database, databaseUrl, postgresUrl } from './database-url.ts'
import {
  MAIL_TABLE,
  type MailSettings,
  onWithPagesAndMail,
  toMailSettings,
  withPagesOrMail,
} from './mail-settings.ts'
import { SECRETS, secretFiles } from './secret-files.ts'
import {
  integer,
  mustBe,
  type NamedSecret,
  namedSecrets,
  oneOf,
  readAll,
  type SettingsIn,
  setting,
} from './setting.ts'
import { type Environment, misspeltNames } from './setting-names.ts'
import {
  anyPath,
  atLeastUserTokenTtl,
  atMostSessionTtl,
  DEFAULT_PORT,
  DEFAULT_USER_TOKEN_TTL,
  filePath,
  host,
  languageTag,
  onPostgres,
  onWithAccountPages,
  onWithKeyEncryptionKey,
  originOf,
  otherThanPort,
  passkeyRpId,
  productName,
  publicUrl,
  underNist,
  withKeyEncryptionKey,
  withSealedCookies,
} from './setting-rules.ts'
import { THROTTLE_TABLE, type ThrottleSettings, toThrottleSettings } from './throttle-settings.ts'

export { originOf }

/** The settings of a service. */
export type Settings = Readonly<{
  host: string
  port: number
  /** The only port that serves metrics. Without it, `port` serves them. */
  metricsPort: number | undefined
  /** How long the server keeps a connection without a request. */
  httpIdleTimeoutMs: number
  database: Database
  /** The largest number of PostgreSQL connections. */
  databasePoolSize: number
  /** The same database without a pooler, for LISTEN. */
  databaseDirectUrl: string | undefined
  /** The URL that clients use, without a final slash. It is the issuer of every token. */
  publicUrl: string
  applicationTokenTtlSeconds: number
  userTokenTtlSeconds: number
  /** How long a session lives without a renewal. Without it, it lives as long as its last token. */
  idleTtlSeconds: number | undefined
  sessionTtlSeconds: number
  /** How long a remembered session lives. Without it, only applications with such a lifetime of their own have some. */
  rememberTtlSeconds: number | undefined
  /** The format of new user tokens. The service verifies both. */
  userTokenFormat: UserTokenFormat
  recoveryTtlSeconds: number
  emailConfirmationTtlSeconds: number
  scrypt: Readonly<{ logN: number; r: number; p: number }>
  /** The first is for new password records, the others for existing ones. */
  peppers: ReadonlyArray<NamedSecret>
  /** The first encrypts signing keys and sealed state; the others decrypt existing ones. Without any, signing keys are not encrypted. */
  keyEncryptionKeys: ReadonlyArray<NamedSecret>
  /** The file beside the store that they come from, if the environment has none. Only the command line looks for it. */
  keyFile?: string | undefined
  /** Each signs the checkpoints of the event log. */
  eventLogKeys: ReadonlyArray<NamedSecret>
  hashing: Readonly<{ concurrency: number; maxWaitMs: number }>
  throttle: ThrottleSettings
  /** The number of proxies in front that append to `X-Forwarded-For`. */
  trustedProxies: number
  passwordPolicy: PasswordPolicy
  /** A list of passwords that are refused as new passwords. */
  leakedPasswordsFile: string | undefined
  /** Whether users can enrol second factors. Those that they have stay due. */
  secondFactors: boolean
  /** The domain that passkeys belong to. Without it, there are no passkeys. */
  passkeyRpId: string | undefined
  /** The pages for people, the product name that they show, and whether strangers can register there. Without it, there are no pages. */
  pages: Readonly<{ name: string; registration: boolean }> | undefined
  /** Whether the service is an OpenID provider: applications lead people to its pages to sign in. */
  openid: boolean
  /** The file that lists the providers with which users sign in. Without it, there are none. */
  identityProvidersFile: string | undefined
  /** Whether a first sign-in with such a provider registers a user. */
  identityRegistration: boolean
  /** Without it, the service sends no mail. */
  mail: MailSettings | undefined
  /** The language of people whose wishes match none. */
  language: string
  /** A folder with texts, and with templates of mails. */
  pagesFolder: string | undefined
  /** The file of the read model, with which commands find entries of the log. Without it, its place follows from that of the store. */
  readModel: string | undefined
  logLevel: LogLevel
  /** The name that the event log shows for operators. */
  operator: string | undefined
}>

/** The settings are wrong, or do not fit the store. The message is for operators. */
export class WrongSettings extends Error {}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export type { Environment, NamedSecret }

/** The settings in an environment, or one sentence for each wrong setting. */
export const settingsFrom = (environment: Environment): E.Either<ReadonlyArray<string>, Settings> => {
  const files = secretFiles(environment)
  const read = readAll(TABLE, { ...environment, ...files.contents })
  const wrong = [
    ...misspeltNames(environment, SETTINGS),
    ...files.wrong,
    ...(E.isLeft(read) ? read.left : []),
  ]
  return E.isLeft(read) || wrong.length > 0 ? E.left(wrong) : E.right(toSettings(read.right))
}

/**
 * The settings in an environment.
 *
 * @throws WrongSettings with one line for each wrong setting
 */
export const settings = (environment: Environment): Settings => {
  const read = settingsFrom(environment)
  if (E.isLeft(read)) throw new WrongSettings(wrongSettingsText(read.left))
  return read.right
}

export const wrongSettingsText = (wrong: ReadonlyArray<string>): string =>
  ['These settings are wrong:', ...wrong].join('\n  ')

const A_DAY_SECONDS = 24 * 3600
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/** Leaves one core free for other work, and one of the four threads of libuv. */
const DEFAULT_CONCURRENCY = Math.min(3, Math.max(1, availableParallelism() - 1))

/** Each setting with its default and its rule. */
const TABLE = {
  PORT: integer(DEFAULT_PORT, 1, 65_535),
  METRICS_PORT: otherThanPort(integer(undefined, 1, 65_535)),
  HOST: host,
  HTTP_IDLE_TIMEOUT: integer(65, 1, A_DAY_SECONDS), // 60 s are common in proxies, which must close first
  DATABASE_URL: databaseUrl({ kind: 'sqlite', path: './data/portcullis.db' }),
  DATABASE_POOL_SIZE: onPostgres(integer(10, 2, 1_000)),
  DATABASE_DIRECT_URL: onPostgres(postgresUrl()),
  PUBLIC_URL: publicUrl,
  APPLICATION_TOKEN_TTL: integer(3_600, 1, A_YEAR_SECONDS),
  USER_TOKEN_TTL: integer(DEFAULT_USER_TOKEN_TTL, 1, MAX_LIFETIME_SECONDS),
  SESSION_IDLE_TTL: atMostSessionTtl(integer(undefined, 1, MAX_LIFETIME_SECONDS)),
  SESSION_TTL: atLeastUserTokenTtl(integer(undefined, 1, MAX_LIFETIME_SECONDS)),
  SESSION_REMEMBER_TTL: integer(undefined, 1, MAX_LIFETIME_SECONDS),
  USER_TOKEN_FORMAT: oneOf<UserTokenFormat>('paseto', 'paseto', 'jwt'),
  RECOVERY_TTL: integer(3_600, 1, A_DAY_SECONDS),
  EMAIL_CONFIRMATION_TTL: integer(A_DAY_SECONDS, 1, A_DAY_SECONDS),
  SCRYPT_LOG_N: integer(15, 1, 18),
  SCRYPT_R: integer(8, 2, 32),
  SCRYPT_P: integer(3, 1, 16),
  HASHING_CONCURRENCY: integer(DEFAULT_CONCURRENCY, 1, 3),
  HASHING_WAIT: integer(2, 0, 3_600),
  LOG_LEVEL: oneOf<LogLevel>('info', 'trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  PASSWORD_PEPPER: namedSecrets('passwords'),
  KEY_ENCRYPTION_KEY: namedSecrets('signing keys'),
  EVENT_LOG_KEY: namedSecrets('checkpoints'),
  ...THROTTLE_TABLE,
  TRUST_PROXY: integer(0, 0, 16),
  PASSWORD_POLICY: oneOf<PasswordPolicy['kind']>('contract', 'contract', 'nist'),
  PASSWORD_MIN_LENGTH: underNist(integer(15, 8, 64)),
  OPERATOR: setting<string | undefined>(
    undefined,
    (text) => (isName(text) ? text : undefined),
    mustBe('1 to 100 printable characters'),
  ),
  READ_MODEL: filePath,
  PASSWORD_LEAKED_FILE: underNist(anyPath),
  SECOND_FACTORS: onWithKeyEncryptionKey(oneOf('off', 'off', 'on')),
  PASSKEY_RP_ID: withKeyEncryptionKey(passkeyRpId),
  ACCOUNT_PAGES: withSealedCookies(oneOf('off', 'off', 'on')),
  OPENID: onWithAccountPages(oneOf('off', 'off', 'on')),
  IDENTITY_PROVIDERS_FILE: withKeyEncryptionKey(anyPath), // it seals what a sign-in is bound to
  IDENTITY_REGISTRATION: oneOf('off', 'off', 'on'),
  PAGES_REGISTRATION: onWithPagesAndMail(oneOf('off', 'off', 'on')),
  PAGES_NAME: withPagesOrMail(productName),
  PAGES_LANGUAGE: withPagesOrMail(languageTag),
  PAGES_FOLDER: withPagesOrMail(anyPath),
  ...MAIL_TABLE,
}

export type SettingName = keyof typeof TABLE

/** The names of all settings. */
export const SETTINGS: ReadonlyArray<string> = [
  ...Object.keys(TABLE),
  ...SECRETS.map((name) => `${name}_FILE`),
]

const toSettings = (set: SettingsIn<typeof TABLE>): Settings => ({
  host: set.HOST,
  port: set.PORT,
  metricsPort: set.METRICS_PORT,
  httpIdleTimeoutMs: set.HTTP_IDLE_TIMEOUT * 1000,
  database: set.DATABASE_URL,
  databasePoolSize: set.DATABASE_POOL_SIZE,
  databaseDirectUrl: set.DATABASE_DIRECT_URL,
  publicUrl: set.PUBLIC_URL ?? originOf(set.HOST, set.PORT),
  applicationTokenTtlSeconds: set.APPLICATION_TOKEN_TTL,
  userTokenTtlSeconds: set.USER_TOKEN_TTL,
  idleTtlSeconds: set.SESSION_IDLE_TTL,
  sessionTtlSeconds: set.SESSION_TTL ?? set.USER_TOKEN_TTL,
  rememberTtlSeconds: set.SESSION_REMEMBER_TTL,
  userTokenFormat: set.USER_TOKEN_FORMAT,
  recoveryTtlSeconds: set.RECOVERY_TTL,
  emailConfirmationTtlSeconds: set.EMAIL_CONFIRMATION_TTL,
  peppers: set.PASSWORD_PEPPER,
  keyEncryptionKeys: set.KEY_ENCRYPTION_KEY,
  eventLogKeys: set.EVENT_LOG_KEY,
  scrypt: { logN: set.SCRYPT_LOG_N, r: set.SCRYPT_R, p: set.SCRYPT_P },
  hashing: { concurrency: set.HASHING_CONCURRENCY, maxWaitMs: set.HASHING_WAIT * 1000 },
  throttle: toThrottleSettings(set),
  trustedProxies: set.TRUST_PROXY,
  passwordPolicy:
    set.PASSWORD_POLICY === 'nist'
      ? { kind: 'nist', minCodePoints: set.PASSWORD_MIN_LENGTH }
      : { kind: 'contract' },
  leakedPasswordsFile: set.PASSWORD_LEAKED_FILE,
  secondFactors: set.SECOND_FACTORS === 'on',
  passkeyRpId: set.PASSKEY_RP_ID,
  pages:
    set.ACCOUNT_PAGES === 'on'
      ? { name: set.PAGES_NAME, registration: set.PAGES_REGISTRATION === 'on' }
      : undefined,
  openid: set.OPENID === 'on',
  identityProvidersFile: set.IDENTITY_PROVIDERS_FILE,
  identityRegistration: set.IDENTITY_REGISTRATION === 'on',
  mail: toMailSettings(set),
  language: set.PAGES_LANGUAGE,
  pagesFolder: set.PAGES_FOLDER,
  readModel: set.READ_MODEL,
  logLevel: set.LOG_LEVEL,
  operator: set.OPERATOR,
})

/**
 * Whether a hash costs less than the cheapest setting of the OWASP Password Storage Cheat Sheet (N=2^13, r=8, p=10), counted in
 * blocks: N·r·p.
 */
export const isCheaperThanRecommended = ({ logN, r, p }: Settings['scrypt']): boolean =>
  2 ** logN * r * p < 2 ** 13 * 8 * 10

/** The path of the public URL: the prefix of the routes. */
export const prefixOf = ({ publicUrl }: Settings): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** The origin of the pages for people. */
export const pagesOriginOf = ({ publicUrl }: Settings): string => new URL(publicUrl).origin

/** The host name that clients use, without a port. */
export const hostOf = ({ publicUrl }: Settings): string => new URL(publicUrl).hostname

/** The product name that people see. Undefined without pages and mails. */
export const productNameOf = ({ pages, mail }: Settings): string | undefined => pages?.name ?? mail?.name

/** What people call the service: a password must not be built from these. */
export const serviceNames = (settings: Settings): ReadonlyArray<string> => {
  const name = productNameOf(settings)
  return ['portcullis', hostOf(settings), ...(name === undefined ? [] : [name])]
}

/** The store as messages show it, without secrets. */
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

import { MAX_LIFETIME_SECONDS } from '../../domain/lifetimes.ts'
import { CLIENT_KINDS, type ClientKind, PKCE_USES, type PkceUse } from '../../domain/redirect-uris.ts'

/** An application of a service for tests, with its keys. */
export type TestApplication = Readonly<{
  id: string
  name: string
  publicApiKey: string
  privateApiKey: string
  /** The origins of the pages that can use passkeys. */
  passkeyOrigins: ReadonlyArray<string>
}>

/** What `portcullis application create` takes as options. Lifetimes are in seconds. */
export type TestApplicationOptions = Readonly<{
  /** Separated by spaces. By default it has every scope. */
  scope?: string
  userTokenTtl?: number
  idleTtl?: number
  sessionTtl?: number
  rememberTtl?: number
  requireAal2?: boolean
  requireVerifiedEmail?: boolean
  /** The origins of the pages that can use passkeys. By default one at `PASSKEY_RP_ID`. */
  passkeyOrigins?: ReadonlyArray<string>
}> &
  TestClientOptions

/** What makes an application a client of the OpenID provider. */
export type TestClientOptions = Readonly<{
  /** Where a sign-in at the provider may lead back. Without any, the application is no client. */
  redirectUris?: ReadonlyArray<string>
  /** Where a logout at the provider may lead. */
  logoutUris?: ReadonlyArray<string>
  /** By default `confidential`. */
  client?: ClientKind
  /** By default `required`. */
  pkce?: PkceUse
}>

type IsValue = (value: unknown) => boolean

const isText: IsValue = (value) => typeof value === 'string'
const isFlag: IsValue = (value) => typeof value === 'boolean'
const isLifetime: IsValue = (value) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIFETIME_SECONDS
const LIFETIME = [isLifetime, `be a whole number of seconds from 1 to ${MAX_LIFETIME_SECONDS}`] as const

const TEXTS = [
  (value: unknown) => Array.isArray(value) && value.every(isText),
  'be an array of texts',
] as const
const oneOf = (...words: ReadonlyArray<string>) =>
  [(value: unknown) => words.some((word) => word === value), `be ${words.join(' or ')}`] as const

const OPTIONS: Readonly<Record<keyof TestApplicationOptions, readonly [IsValue, must: string]>> = {
  scope: [isText, 'be a text'],
  userTokenTtl: LIFETIME,
  idleTtl: LIFETIME,
  sessionTtl: LIFETIME,
  rememberTtl: LIFETIME,
  requireAal2: [isFlag, 'be true or false'],
  requireVerifiedEmail: [isFlag, 'be true or false'],
  passkeyOrigins: TEXTS,
  redirectUris: TEXTS,
  logoutUris: TEXTS,
  client: oneOf(...CLIENT_KINDS),
  pkce: oneOf(...PKCE_USES),
}

/** The options of the whole service. Others check them, or the compiler alone. */
const OF_SERVICE: ReadonlyArray<string> = ['settings', 'modules', 'listen', 'applications']

/** @throws TypeError for a mistake of the program: an empty name, or an option that does not exist or has another type */
export const refuseOtherOptions = ({
  applications = {},
  ...options
}: Readonly<{ applications?: Readonly<Record<string, TestApplicationOptions>> }>): void => {
  for (const [option, value] of Object.entries(options))
    if (!OF_SERVICE.includes(option)) refuseOther(option, option, value, [...OF_SERVICE, ...OF_APPLICATION])
  for (const [name, ofApplication] of Object.entries(applications)) {
    if (name === '') throw new TypeError('An application of startForTests needs a name.')
    for (const [option, value] of Object.entries(ofApplication))
      refuseOther(`applications.${name}.${option}`, option, value, Object.keys(OPTIONS))
  }
}

/** Those of the application `tests`. */
const OF_APPLICATION: ReadonlyArray<keyof TestApplicationOptions> = [
  'scope',
  'passkeyOrigins',
  'redirectUris',
  'logoutUris',
  'client',
  'pkce',
]

const refuseOther = (path: string, option: string, value: unknown, known: ReadonlyArray<string>): void => {
  const about = `${path} of startForTests`
  if (!known.includes(option))
    throw new TypeError(`${about} is unknown. The options are ${known.join(', ')}.`)
  const [isValue, must] = OPTIONS[option as keyof TestApplicationOptions]
  if (value !== undefined && !isValue(value)) throw new TypeError(`${about} must ${must}.`)
}

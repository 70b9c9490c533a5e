import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { isLanguageName } from '../../domain/language.ts'
import { isPrintable } from '../../domain/name.ts'
import { isRpId } from '../../domain/passkey-origins.ts'
import { asciiDomain, asciiUrl } from './addresses/ascii-domains.ts'
import { mustBe, quoted, requires, type Setting, setting } from './setting.ts'
import type { Environment } from './setting-names.ts'

/** The rules of single settings, and of settings that depend on others. */

export const DEFAULT_PORT = 8080
const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_USER_TOKEN_TTL = 43_200

const isUnderNist = ({ PASSWORD_POLICY }: Environment): boolean => PASSWORD_POLICY === 'nist'
export const underNist = requires('PASSWORD_POLICY=nist', isUnderNist)

/** Off needs no key: it protects nothing. */
export const onWithKeyEncryptionKey =
  (onOrOff: Setting<'on' | 'off'>): Setting<'on' | 'off'> =>
  (name, environment) =>
    environment[name] === 'on' && !hasKeyEncryptionKey(environment)
      ? E.left(
          `${name}=on requires KEY_ENCRYPTION_KEY, which encrypts the secrets of the factors. Set that too`,
        )
      : onOrOff(name, environment)

/** Pages have sessions: cookies are sealed, and browsers keep them only for https and for this machine. */
export const withSealedCookies =
  (onOrOff: Setting<'on' | 'off'>): Setting<'on' | 'off'> =>
  (name, environment) => {
    if (environment[name] !== 'on') return onOrOff(name, environment)
    if (!hasKeyEncryptionKey(environment))
      return E.left(
        `${name}=on requires KEY_ENCRYPTION_KEY, which seals the cookies. Set it to ID:SECRET (make a SECRET: openssl rand -hex 32)`,
      )
    const { PUBLIC_URL, HOST } = environment
    return isForCookies(PUBLIC_URL || originOf(HOST || DEFAULT_HOST, DEFAULT_PORT))
      ? onOrOff(name, environment)
      : E.left(
          `${name}=on requires a PUBLIC_URL with https, or with http on localhost or a loopback address: browsers keep its cookies nowhere else`,
        )
  }

/** What the pages require has a sentence of theirs. */
export const onWithAccountPages =
  (onOrOff: Setting<'on' | 'off'>): Setting<'on' | 'off'> =>
  (name, environment) =>
    environment[name] === 'on' && environment.ACCOUNT_PAGES !== 'on'
      ? E.left(`${name}=on requires ACCOUNT_PAGES=on, because people sign in on those pages. Set that too`)
      : onOrOff(name, environment)

/** A malformed URL has a sentence of its own. */
const isForCookies = (text: string): boolean => {
  const url = URL.parse(asciiUrl(text))
  return url === null || url.protocol === 'https:' || isLoopback(url.hostname)
}

/** `URL` writes every IPv4 address with four numbers. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** The URL of an address, and the default of PUBLIC_URL. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const hasKeyEncryptionKey = ({ KEY_ENCRYPTION_KEY = '' }: Environment): boolean => KEY_ENCRYPTION_KEY !== ''
export const withKeyEncryptionKey = requires('KEY_ENCRYPTION_KEY', hasKeyEncryptionKey)

const isOnPostgres = ({ DATABASE_URL = '' }: Environment): boolean => /^postgres(ql)?:/.test(DATABASE_URL) // also a wrong one
export const onPostgres = requires('a PostgreSQL DATABASE_URL', isOnPostgres)

/** Not the port of the API: a firewall can then protect the metrics. */
export const otherThanPort =
  <A>(port: Setting<A>): Setting<A> =>
  (name, environment) => {
    const { [name]: text = '', PORT } = environment
    const isSame = text !== '' && Number(text) === Number(PORT || DEFAULT_PORT)
    return isSame
      ? E.left(`${name} must differ from PORT (${PORT || DEFAULT_PORT}), got ${quoted(text)}`)
      : port(name, environment)
  }

/** A session that ends before its first token is never what its operator means. */
export const atLeastUserTokenTtl =
  (lifetime: Setting<number | undefined>): Setting<number | undefined> =>
  (name, environment) => {
    const seconds = Number(environment.USER_TOKEN_TTL || DEFAULT_USER_TOKEN_TTL)
    const { [name]: text = '' } = environment
    return text !== '' && Number(text) < seconds
      ? E.left(`${name} must be at least USER_TOKEN_TTL (${seconds}), got ${quoted(text)}`)
      : lifetime(name, environment)
  }

/** No session is idle for longer than it lives. */
export const atMostSessionTtl =
  (lifetime: Setting<number | undefined>): Setting<number | undefined> =>
  (name, environment) => {
    const { [name]: text = '', SESSION_TTL, USER_TOKEN_TTL } = environment
    const seconds = Number(SESSION_TTL || USER_TOKEN_TTL || DEFAULT_USER_TOKEN_TTL)
    return text !== '' && Number(text) > seconds
      ? E.left(`${name} must be at most SESSION_TTL (${seconds}), got ${quoted(text)}`)
      : lifetime(name, environment)
  }

export const host = setting(
  DEFAULT_HOST,
  (text) =>
    isIP(text) !== 0 || (/^[0-9A-Za-z._-]+$/.test(text) && URL.canParse(`http://${text}`)) ? text : undefined,
  mustBe('an IP address or a host name'),
)

/** Its path is the prefix of the routes, so it has no characters that are special in a route pattern. */
export const publicUrl = setting<string | undefined>(
  undefined,
  (text) => {
    const url = asciiUrl(text)
    return /^https?:\/\/[^/?#@\\\s\u0080-\uffff]+(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/.test(url) &&
      URL.canParse(url)
      ? url
      : undefined
  },
  mustBe('an http or https URL without user, query, fragment or final slash'),
)

export const productName = setting(
  'Portcullis',
  (text) => (isPrintable(text, 60) && text === text.trim() ? text : undefined),
  mustBe('1 to 60 characters without control characters and without spaces at its ends'),
)

/** The form of BCP 47. Whether there is such a language, the texts say. */
export const languageTag = setting(
  'en',
  (text) => (isLanguageName(text) ? text : undefined),
  mustBe('a language tag, such as en or pt-BR'),
)

/** Whether it is usable, the file system says at the start. */
export const anyPath = setting<string | undefined>(undefined, (path) => path, mustBe('a path'))

/** SQLite gives names with a colon at the beginning another meaning. */
export const filePath = setting<string | undefined>(
  undefined,
  (text) => (!text.startsWith(':') && text === text.trim() ? text : undefined),
  mustBe('the path of a file'),
)

export const passkeyRpId = setting<string | undefined>(
  undefined,
  (text) => {
    const domain = asciiDomain(text)
    return isRpId(domain) ? domain : undefined
  },
  mustBe('a domain in lower case, such as example.com'),
)

import { isIPv4, isIPv6 } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { EXTRA_MAIL_KINDS, type ExtraMailKind } from '../../domain/mail.ts'
import { isName } from '../../domain/name.ts'
import { isEmail } from '../../domain/user.ts'
import { asciiDomain, asciiEmail } from './addresses/ascii-domains.ts'
import { integer, mustBe, requires, type Setting, setting } from './setting.ts'
import type { Environment } from './setting-names.ts'

/** The settings of mails. */
export type MailSettings = Readonly<{
  /** `terminal`: a first run prints the mails. */
  relay: Relay | 'terminal'
  from: Sender
  /** The product name that mails show. */
  name: string
  /** Where users write to who did not do what a mail reports. */
  contact: string
  /** The kinds of notices that the operator wants besides those that every service sends. */
  extra: ReadonlyArray<ExtraMailKind>
  /** The largest number of connections to the relay. */
  connections: number
}>

/** The SMTP server that takes the mails. */
export type Relay = Readonly<{
  /** A name or an IP address, without brackets. */
  host: string
  port: number
  /**
   * `implicit`: TLS from the first byte. `starttls`: TLS before all else, or no mail. `offered`: TLS if the relay offers it, which only a
   * relay on this machine may decide.
   */
  tls: 'implicit' | 'starttls' | 'offered'
  credentials: Readonly<{ user: string; password: string }> | undefined
}>

export type Sender = Readonly<{ name: string | undefined; address: string }>

/** The relay as messages show it, without credentials. */
export const relayText = (relay: MailSettings['relay']): string => {
  if (relay === 'terminal') return relay
  const { host, port, tls } = relay
  return `${tls === 'implicit' ? 'smtps' : 'smtp'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

const isSet = (environment: Environment, name: string): boolean => (environment[name] ?? '') !== ''

const hasMail = (environment: Environment): boolean => isSet(environment, 'MAIL_URL')
const withMail = requires('MAIL_URL', hasMail)

/** These also choose the words of mails. */
export const withPagesOrMail = requires(
  'ACCOUNT_PAGES=on or MAIL_URL',
  (environment) => environment.ACCOUNT_PAGES === 'on' || hasMail(environment),
)

/** Registration begins with a mail, and ends on a page. */
export const onWithPagesAndMail =
  (onOrOff: Setting<'on' | 'off'>): Setting<'on' | 'off'> =>
  (name, environment) =>
    environment[name] === 'on' && (environment.ACCOUNT_PAGES !== 'on' || !hasMail(environment))
      ? E.left(`${name}=on requires ACCOUNT_PAGES=on and MAIL_URL. Set both, or remove ${name}`)
      : onOrOff(name, environment)

/** A setting without which no mail can be sent. */
const neededForMail =
  <A>(inner: Setting<A>, meaning: string): Setting<A> =>
  (name, environment) =>
    hasMail(environment) && !isSet(environment, name)
      ? E.left(`MAIL_URL requires ${name}, ${meaning}. Set that too`)
      : withMail(inner)(name, environment)

const FORM =
  'must be smtps://USER:PASSWORD@HOST:465 or smtp://USER:PASSWORD@HOST:587, with special characters as %XX and without path, query or fragment. USER:PASSWORD@ and the port may be absent. The value is not shown, because it may contain a password'

/** Nothing behind the port: other programs read options for TLS from there. */
const RELAY_URL =
  /^(smtps?):\/\/(?:([^:/?#@[\]\s]+):([^:/?#@[\]\s]+)@)?([^:/?#@[\]\s]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/

const parseRelay = (text: string): Relay | undefined => {
  const [, scheme, user, password, written = '', digits] = RELAY_URL.exec(text) ?? []
  const host = hostOf(written)
  const isImplicit = scheme === 'smtps'
  const port = Number(digits ?? (isImplicit ? 465 : 587))
  const credentials = credentialsOf(user, password)
  if (host === undefined || credentials === 'malformed' || port < 1 || port > 65_535) return undefined
  return {
    host,
    port,
    tls: isImplicit ? 'implicit' : isThisMachine(host) ? 'offered' : 'starttls',
    credentials,
  }
}

const hostOf = (written: string): string | undefined => {
  const address = /^\[(.+)\]$/.exec(written)?.[1]
  if (address !== undefined) return isIPv6(address) ? address : undefined
  const host = asciiDomain(written)
  return isIPv4(host) ||
    (/^(?=.{1,253}$)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(host) && !/(^|\.)[\d.]+$/.test(host))
    ? host
    : undefined
}

/** What travels from here to there never leaves the machine. A name can resolve to anything, except this one (RFC 6761 §6.3). */
const isThisMachine = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

const credentialsOf = (user: string | undefined, password: string | undefined) => {
  if (user === undefined || password === undefined) return undefined
  const [plainUser, plainPassword] = [decoded(user), decoded(password)]
  return plainUser === undefined || plainPassword === undefined
    ? 'malformed'
    : { user: plainUser, password: plainPassword }
}

/** Control characters would end a line, or a part of `AUTH PLAIN` (RFC 4616). */
const decoded = (part: string): string | undefined => {
  try {
    const text = decodeURIComponent(part)
    return /\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

const mailUrl: Setting<Relay | undefined> = (name, environment) =>
  hasMail(environment) && !isSet(environment, 'PUBLIC_URL')
    ? E.left('MAIL_URL requires PUBLIC_URL, because mails contain links. Set that too')
    : setting<Relay | undefined>(undefined, parseRelay, () => FORM)(name, environment)

/** `Name <address>` or an address. The quotes around a name are those of RFC 5322, and not part of it. */
const parseSender = (text: string): Sender | undefined => {
  const [, written = '', inBrackets] = /^([^<>]*?) *<([^<>]*)>$/.exec(text) ?? []
  const address = parseAddress(inBrackets ?? text)
  if (address === undefined) return undefined
  if (written === '') return { name: undefined, address }
  const name = written.replace(/^"([^"]*)"$/, '$1')
  return isName(name) && name === name.trim() ? { name, address } : undefined
}

const parseAddress = (text: string): string | undefined => {
  const address = asciiEmail(text)
  return text === text.trim() && isEmail(address) ? address : undefined
}

const parseExtra = (text: string): ReadonlyArray<ExtraMailKind> | undefined => {
  const words = text.split(/\s+/)
  const kinds = EXTRA_MAIL_KINDS.filter((kind) => words.includes(kind))
  return words.every((word) => EXTRA_MAIL_KINDS.some((kind) => kind === word)) ? kinds : undefined
}

/** Each setting of mails with its default and its rule. */
export const MAIL_TABLE = {
  MAIL_URL: mailUrl,
  MAIL_FROM: neededForMail(
    setting<Sender | undefined>(
      undefined,
      parseSender,
      mustBe('NAME <ADDRESS> or an address, where NAME has 1 to 100 printable characters without < and >'),
    ),
    'the sender of the mails',
  ),
  MAIL_CONTACT: neededForMail(
    setting<string | undefined>(undefined, parseAddress, mustBe('an e-mail address')),
    'the address to which users write about a mail',
  ),
  MAIL_EXTRA: withMail(
    setting<ReadonlyArray<ExtraMailKind>>(
      [],
      parseExtra,
      mustBe(`${EXTRA_MAIL_KINDS.join(' or ')}, or both separated by spaces`),
    ),
  ),
  MAIL_CONNECTIONS: withMail(integer(4, 1, 16)),
  THROTTLE_MAILS: withMail(integer(600, 0, 1_000_000)),
}

/** The settings of mails, or undefined without `MAIL_URL`. */
export const toMailSettings = (
  set: Readonly<{
    MAIL_URL: Relay | undefined
    MAIL_FROM: Sender | undefined
    MAIL_CONTACT: string | undefined
    MAIL_EXTRA: ReadonlyArray<ExtraMailKind>
    MAIL_CONNECTIONS: number
    PAGES_NAME: string
  }>,
): MailSettings | undefined =>
  set.MAIL_URL && set.MAIL_FROM && set.MAIL_CONTACT
    ? {
        relay: set.MAIL_URL,
        from: set.MAIL_FROM,
        name: set.PAGES_NAME,
        contact: set.MAIL_CONTACT,
        extra: set.MAIL_EXTRA,
        connections: set.MAIL_CONNECTIONS,
      }
    : undefined

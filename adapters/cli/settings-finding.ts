import ipaddr from 'ipaddr.js'
import type { Finding } from '../../application/ports/inspection.ts'
import { minimumOf } from '../../domain/password-policy.ts'
import { databaseText, hostOf, originOf, type Settings } from '../config/settings.ts'

/**
 * The settings in one sentence, followed by errors and advice.
 *
 * @param advised more advice
 * @param haveHasher whether modules replace the standard password hasher, which SCRYPT_* and PASSWORD_PEPPER configure
 */
export const settingsFinding = (
  settings: Settings,
  {
    store = databaseText(settings),
    haveHasher = false,
    advised = [],
  }: Readonly<{ store?: string; haveHasher?: boolean; advised?: ReadonlyArray<string> }> = {},
): Finding => {
  const { scrypt, publicUrl } = settings
  const wrong = errorsIn(settings)
  const hashing = haveHasher
    ? 'password hasher the one of --with'
    : `scrypt N=2^${scrypt.logN} r=${scrypt.r} p=${scrypt.p}`
  const summary = `store ${store}, issuer ${publicUrl}, policy ${policyText(settings)}, ${hashing}.`
  return {
    name: 'settings',
    ok: wrong.length === 0,
    detail: [summary, ...wrong, ...advice(settings, haveHasher), ...advised].join(' '),
  }
}

const errorsIn = (settings: Settings): ReadonlyArray<string> => {
  const host = hostOf(settings)
  const wrong: Array<string> = []
  if (rangeOf(host) === 'unspecified')
    wrong.push(
      `The issuer ${settings.publicUrl} is a wildcard address, which clients cannot reach. Set PUBLIC_URL to the URL that clients use.`,
    )
  if (EXAMPLE_HOST.test(nameOf(host)))
    wrong.push(
      `The issuer ${settings.publicUrl} has a host name for examples, which clients cannot reach. Set PUBLIC_URL to the URL that clients use.`,
    )
  if (settings.trustedProxies > 0 && settings.publicUrl === originOf(settings.host, settings.port))
    wrong.push(
      `TRUST_PROXY=${settings.trustedProxies} says that clients use a proxy, but the issuer ${settings.publicUrl} is the address of the service itself. Set PUBLIC_URL to the URL that clients use.`,
    )
  if (settings.passwordPolicy.kind === 'contract' && isPublicHost(host))
    wrong.push(
      'PASSWORD_POLICY=contract accepts any password, and PUBLIC_URL is public. Set PASSWORD_POLICY=nist.',
    )
  return wrong
}

/** Not errors: NIST SP 800-63B-4 §3.1.1.2 recommends a pepper and does not require it, and tests may use names for tests. */
const advice = (settings: Settings, haveHasher: boolean): ReadonlyArray<string> => {
  const advised: Array<string> = []
  if (nameOf(hostOf(settings)).endsWith('.test'))
    advised.push(`The issuer ${settings.publicUrl} has a host name for tests. Do not use it in production.`)
  if (settings.peppers.length === 0 && !haveHasher)
    advised.push(
      'PASSWORD_PEPPER is not set: a thief of the store can guess passwords. Set one before production use.',
    )
  if (settings.keyFile !== undefined)
    advised.push(
      `The key-encryption key is in ${settings.keyFile}: a thief of that folder has the store and its key. In production, keep it elsewhere, and set KEY_ENCRYPTION_KEY_FILE.`,
    )
  if (settings.userTokenFormat === 'jwt' && settings.publicUrl === originOf(settings.host, settings.port))
    advised.push(
      `USER_TOKEN_FORMAT=jwt: gateways compare the audience of user tokens with ${settings.publicUrl}, which follows from HOST and PORT. Set PUBLIC_URL to the URL that clients use.`,
    )
  if (settings.openid && settings.publicUrl === originOf(settings.host, settings.port))
    advised.push(
      `OPENID=on: ${settings.publicUrl} is the issuer, and only this machine reaches it. Set PUBLIC_URL to the URL that browsers and clients use, with https.`,
    )
  return advised
}

/** RFC 2606, RFC 6761. */
const EXAMPLE_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid)$/

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/**
 * Whether a host may be public. Private and reserved addresses, names without a dot, and names for local use are not (RFC 6761,
 * RFC 6762, RFC 8375, and `.internal` of ICANN).
 *
 * @param host in the form of `URL.hostname`
 */
export const isPublicHost = (host: string): boolean => {
  const range = rangeOf(host)
  if (range !== undefined) return range === 'unicast'
  const name = nameOf(host)
  return name.includes('.') && !LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix))
}

const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.test', '.home.arpa']

const rangeOf = (host: string): string | undefined => {
  const address = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) && /^[\d.]+$|:/.test(address) ? ipaddr.process(address).range() : undefined
}

/** The password policy as messages show it. */
export const policyText = ({ passwordPolicy, leakedPasswordsFile }: Settings): string =>
  passwordPolicy.kind === 'contract'
    ? 'contract'
    : `nist (at least ${minimumOf(passwordPolicy)} characters, ${leakedPasswordsFile === undefined ? 'no list of leaked passwords' : `leaked passwords in ${leakedPasswordsFile}`})`

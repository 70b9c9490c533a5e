import ipaddr from 'ipaddr.js'
import type { Finding } from '../../../application/ports/inspection.ts'
import type { Settings } from '../../config/settings.ts'
import { databaseText, hostOf, policyText } from '../../config/settings.ts'

/**
 * The settings in one sentence, followed by errors and advice.
 *
 * @param haveHasher whether modules replace the standard password hasher, which SCRYPT_* and PASSWORD_PEPPER configure
 */
export const settingsFinding = (
  settings: Settings,
  { store = databaseText(settings), haveHasher = false } = {},
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
    detail: [summary, ...wrong, ...(haveHasher ? [] : advice(settings))].join(' '),
  }
}

const errorsIn = (settings: Settings): ReadonlyArray<string> => {
  const host = hostOf(settings)
  const wrong: Array<string> = []
  if (rangeOf(host) === 'unspecified')
    wrong.push(
      `The issuer ${settings.publicUrl} is a wildcard address, which clients cannot reach. Set PUBLIC_URL to the URL that clients use.`,
    )
  if (settings.passwordPolicy.kind === 'contract' && isPublicHost(host))
    wrong.push(
      'PASSWORD_POLICY=contract accepts any password, and PUBLIC_URL is public. Set PASSWORD_POLICY=nist.',
    )
  return wrong
}

/** Not an error: NIST SP 800-63B-4 §3.1.1.2 recommends a pepper and does not require it. */
const advice = ({ peppers }: Settings): ReadonlyArray<string> =>
  peppers.length > 0
    ? []
    : ['PASSWORD_PEPPER is not set: a thief of the store can guess passwords. Set one before production use.']

/**
 * Whether a host may be public. Private and reserved addresses, names without a dot, and names for local use are not (RFC 6761,
 * RFC 6762, RFC 8375, and `.internal` of ICANN).
 *
 * @param host in the form of `URL.hostname`
 */
export const isPublicHost = (host: string): boolean => {
  const range = rangeOf(host)
  if (range !== undefined) return range === 'unicast'
  const name = host.toLowerCase().replace(/\.$/, '')
  return name.includes('.') && !LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix))
}

const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.test', '.home.arpa']

const rangeOf = (host: string): string | undefined => {
  const address = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) && /^[\d.]+$|:/.test(address) ? ipaddr.process(address).range() : undefined
}

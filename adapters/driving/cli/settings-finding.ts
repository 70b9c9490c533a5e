import ipaddr from 'ipaddr.js'
import type { Finding } from '../../../application/ports/inspection.ts'
import type { Settings } from '../../config/settings.ts'
import { databaseText, hostOf, policyText } from '../../config/settings.ts'

/** The settings in one sentence, what is wrong with them, and what would make them safer. */
export const settingsFinding = (settings: Settings): Finding => {
  const { scrypt, publicUrl } = settings
  const wrong = wrongWith(settings)
  const summary = `store ${databaseText(settings)}, issuer ${publicUrl}, policy ${policyText(settings)}, scrypt N=2^${scrypt.logN} r=${scrypt.r} p=${scrypt.p}.`
  return {
    name: 'settings',
    ok: wrong.length === 0,
    detail: [summary, ...wrong, ...advice(settings)].join(' '),
  }
}

const wrongWith = (settings: Settings): ReadonlyArray<string> => {
  const host = hostOf(settings)
  const wrong: Array<string> = []
  if (rangeOf(host) === 'unspecified')
    wrong.push(
      `The issuer ${settings.publicUrl} is a wildcard address, which no client can reach: set PUBLIC_URL to the URL that clients use.`,
    )
  if (settings.passwordPolicy.kind === 'contract' && isPublicHost(host))
    wrong.push(
      'PASSWORD_POLICY=contract takes any password, and PUBLIC_URL is public: set PASSWORD_POLICY=nist.',
    )
  return wrong
}

/** Advice and no error: NIST SP 800-63B-4 §3.1.1.2 recommends a pepper, and does not require it. */
const advice = ({ peppers }: Settings): ReadonlyArray<string> =>
  peppers.length > 0
    ? []
    : [
        'There is no PASSWORD_PEPPER, so a stolen store is enough to guess passwords: set one before you go into production.',
      ]

/**
 * Whether others than this machine and its network may know the host: it is no private or reserved address, and no name that is
 * kept for local use (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`) or has no dot.
 *
 * @param host as `URL` writes it
 */
export const isPublicHost = (host: string): boolean => {
  const range = rangeOf(host)
  if (range !== undefined) return range === 'unicast'
  const name = host.toLowerCase().replace(/\.$/, '')
  return name.includes('.') && !LOCAL_NAMES.some((end) => name.endsWith(end))
}

const LOCAL_NAMES = ['.localhost', '.local', '.internal', '.test', '.home.arpa']

const rangeOf = (host: string): string | undefined => {
  const address = host.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(address) && /^[\d.]+$|:/.test(address) ? ipaddr.process(address).range() : undefined
}

import { fromPredicate, none, type Option } from 'fp-ts/lib/Option.js'
import { isEmail } from '../../../domain/user.ts'

/**
 * Which claim proves that the provider has verified an e-mail:
 *
 * - `email_verified`: the claim of this name (OpenID Connect Core §5.1)
 * - `gmail-and-hd`: the same, and only an address that Google itself hosts. For others, Google's check may be old
 * - `xms_edov`: the optional claim of Entra, which sends no `email_verified`
 */
export type EmailTrust = false | (typeof EMAIL_TRUSTS)[number]

export const EMAIL_TRUSTS = ['email_verified', 'gmail-and-hd', 'xms_edov'] as const

type Claims = Readonly<Record<string, unknown>>

/** The e-mail of an ID token, if the provider is trusted to have verified it. A malformed one is none. */
export const verifiedEmail = (trust: EmailTrust, claims: Claims): Option<string> =>
  typeof claims.email === 'string' && isTrusted(trust, claims, claims.email) ? wellFormed(claims.email) : none

export const wellFormed = fromPredicate(isEmail)

/** Only JSON `true` counts: `"false"` is true as well in JavaScript. */
const isTrusted = (trust: EmailTrust, { email_verified, hd, xms_edov }: Claims, email: string): boolean => {
  switch (trust) {
    case false:
      return false
    case 'email_verified':
      return email_verified === true
    case 'gmail-and-hd':
      return email_verified === true && (/@gmail\.com$/i.test(email) || (typeof hd === 'string' && hd !== ''))
    case 'xms_edov':
      return xms_edov === true
  }
}

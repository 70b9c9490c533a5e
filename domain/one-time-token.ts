import { none, type Option } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import type { OtherFirstMethod } from './assurance.ts'
import { randomSecret, SECRET_BYTES, secretPattern } from './random-secret.ts'
import type { User } from './user.ts'

/**
 * One-time tokens (docs/account-life.md §1): an application mails one to a user, who proves with it that the mailbox is theirs. One of
 * `sign_in` is a sign-in that waits for the second factor. It is mailed to no user.
 *
 * The text is a prefix per purpose + 256 random bits in base62 (43 characters) + their CRC-32 in base62 (6 characters). The store
 * holds its SHA-256 digest only.
 */
export const ONE_TIME_TOKEN_PURPOSES = ['recovery', 'email_confirmation', 'sign_in'] as const
export type OneTimeTokenPurpose = (typeof ONE_TIME_TOKEN_PURPOSES)[number]

/** The record of a one-time token. */
export type OneTimeToken = Readonly<{
  /** A UUIDv7. Events name it `token_id`. It is not secret. */
  id: string
  purpose: OneTimeTokenPurpose
  /** SHA-256 of the token's text, in hexadecimal. */
  digest: string
  userId: string
  /** The application that requested the token. */
  applicationId: string
  /** The user's `passwordVersion` when the token was made. */
  passwordVersion: number
  /** The user's `sessionsVersion` when the token was made. A recovery does not depend on it. */
  sessionsVersion: number
  /** The user's `emailVersion` when the token was made. */
  emailVersion: number
  /** The e-mail that the token confirms. '' if it confirms none, and once the token is used. */
  email: string
  /** What the application calls the device of a sign-in that waits. None without one, and once the token is used. */
  label: Option<string>
  /** Whether the user of a sign-in that waits wants to be remembered. */
  remembered: boolean
  /** With what a sign-in that waits began. None if it began with the password. */
  first: Option<OtherFirstMethod>
  /** Seconds since the epoch. */
  expiresAtSeconds: number
  used: boolean
  /** Counts the writes of this record, from 1. */
  version: number
}>

/** A one-time token, its user, and the application that requested it, as of one moment. */
export type OneTimeTokenFacts = Readonly<{ token: OneTimeToken; user: User; application: Application }>

/** Makes the text of a token from `SECRET_BYTES` random bytes. */
export const oneTimeToken = (purpose: OneTimeTokenPurpose, random: Uint8Array): string =>
  randomSecret(PREFIXES[purpose], random)

/** Whether the text is a well-formed token of this purpose with a correct checksum. */
export const isOneTimeToken = (purpose: OneTimeTokenPurpose, text: string): boolean =>
  secretPattern(PREFIXES[purpose])(text)

/** The number of random bytes in a token. */
export const ONE_TIME_TOKEN_BYTES = SECRET_BYTES

/**
 * Whether the token can be used now.
 *
 * It ends with the state in which it was made: a new password, a disabled or removed user, factors that were reset and another e-mail
 * end every token of the user. Changes of factors by the user, and the end of all sessions by an application or an operator, end every
 * token except recoveries: a thief of a session could otherwise end each one of the owner. `end_others` ends none. The revocation of the
 * application ends every token that it requested.
 */
export const isUsable = (
  { token, user, application }: OneTimeTokenFacts,
  purpose: OneTimeTokenPurpose,
  nowSeconds: number,
): boolean =>
  token.purpose === purpose &&
  !token.used &&
  nowSeconds < token.expiresAtSeconds &&
  user.status === 'enabled' &&
  user.passwordVersion === token.passwordVersion &&
  (purpose === 'recovery' || token.sessionsVersion >= user.allEndedVersion) &&
  token.emailVersion === user.emailVersion &&
  !application.revoked

/** What the link of a mail can do for the person who opens it. `done`: it did so already, and a person who clicks twice reads no failure. */
export type LinkState = 'usable' | 'done' | 'unusable'

/** Returns the state of the link with this token. Another link can have confirmed the same e-mail. */
export const linkState = (
  facts: OneTimeTokenFacts,
  purpose: 'recovery' | 'email_confirmation',
  nowSeconds: number,
): LinkState => {
  const { token, user } = facts
  if (isUsable(facts, purpose, nowSeconds)) return 'usable'
  if (token.purpose !== purpose) return 'unusable'
  const isDone =
    purpose === 'recovery' ? token.used : user.emailVerified && (token.used || token.email === user.email)
  return isDone ? 'done' : 'unusable'
}

/** Returns the used token. It no longer contains an e-mail. */
export const used = (token: OneTimeToken): OneTimeToken => ({
  ...token,
  used: true,
  email: '',
  label: none,
})

/** Secret scanners recognize the prefixes. */
const PREFIXES: Readonly<Record<OneTimeTokenPurpose, `${string}_`>> = {
  recovery: 'ort_',
  email_confirmation: 'oct_',
  sign_in: 'ost_',
}

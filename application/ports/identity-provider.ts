import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { IdentityRefusal } from '../../domain/identity-refusal.ts'

/** What a sign-in at a provider is bound to. Each text is new for each start. */
export type IdentityRequest = Readonly<{
  redirectUri: string
  state: string
  nonce: string
  codeVerifier: string
  /** The user must authenticate at the provider now, and it must say when that was (OpenID Connect Core §3.1.2.1, `max_age=0`). */
  isAgain?: boolean
}>

export type Identity = Readonly<{
  /** The provider's id of the user: 1 to 255 characters. Unique with `issuer`, and never given to another user. */
  subject: string
  /** A well-formed ASCII address, and only if the provider is trusted to have verified it. */
  verifiedEmail: Option<string>
  /** When the user authenticated there, as the provider says. */
  authenticatedAtSeconds: Option<number>
}>

export type IdentityRefused = Readonly<{ _tag: 'IdentityRefused'; reason: IdentityRefusal }>

/** It did not answer in time, or the connection broke. Nothing is known about the user. */
export type ProviderUnavailable = Readonly<{ _tag: 'ProviderUnavailable' }>

/** The longest answer that an adapter reads, in characters. */
export const LONGEST_ANSWER = 8192

/** Signs users in elsewhere. */
export interface IdentityProvider {
  /** Matches `[a-z0-9][a-z0-9-]{0,31}`. */
  readonly name: string
  /** What people read, such as "Google". */
  readonly label: string
  readonly issuer: string
  /** It cannot say when a user authenticated there, so it refuses each request with `isAgain`. */
  readonly isNeverAgain?: true
  /** The address to which the browser goes. */
  start(request: IdentityRequest & Readonly<{ loginHint?: string }>): TaskEither<ProviderUnavailable, string>
  /** @param answer the query of the redirect as received, with or without `?`, at most 8,192 characters */
  complete(
    answer: string,
    request: IdentityRequest,
  ): TaskEither<IdentityRefused | ProviderUnavailable, Identity>
  /** Whether its metadata and keys can be read now. For `doctor`. */
  check(): TaskEither<IdentityRefused | ProviderUnavailable, void>
}

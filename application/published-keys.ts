import { type Either, traverseArray } from 'fp-ts/lib/Either.js'
import type { SigningKey } from '../domain/signing-key.ts'
import type { Keyring } from './keyring.ts'
import type { ApplicationTokens, KeyUnusable, PublicJwk } from './ports/token-format.ts'

/** The keys that verify application tokens, for whoever wants to verify one (RFC 7517 §5). */
export type PublishedKeys = () => Either<KeyUnusable, ReadonlyArray<PublicJwk>>

export const publishedKeys =
  (tokens: ApplicationTokens, keyring: Keyring): PublishedKeys =>
  () =>
    traverseArray((key: SigningKey) => tokens.publicJwk(key))(keyring.application.verifying)

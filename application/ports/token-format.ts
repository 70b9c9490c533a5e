import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserTokenClaims } from '../../domain/token.ts'

/**
 * How claims become a signed token and back. A format knows signatures and encodings; what the claims have to
 * say is the domain's to judge. The algorithm is pinned by the format and never taken from a token.
 *
 * No method throws or rejects, and all may be called concurrently. A key that cannot be used is in nobody's way.
 */
export interface TokenFormat<Claims> {
  /**
   * A new key pair of this format. `material` is what `sign` and `verify` find again in a `SigningKey`; it does not begin
   * with `wrapped.`, as encrypted material does. Both it and the `kid` are texts that a store can hold.
   */
  createKey: Task<Pick<SigningKey, 'kid' | 'material'>>

  /** A token with these claims, fit for a header (RFC 6750 §2.1). `KeyUnusable`: the key's material is not of this format. */
  sign(claims: Claims, key: SigningKey): TaskEither<KeyUnusable, string>

  /**
   * The claims of a token that one of these keys signed.
   *
   * `InvalidToken` for everything else: another format, algorithm, key or type, a claim that is missing or of the
   * wrong type, a second spelling of the same bytes. It does not look at what time it is. It may be asked with any string.
   */
  verify(token: string, keys: ReadonlyArray<SigningKey>): TaskEither<InvalidToken, Claims>

  /**
   * The id of the key that the token names, read without verification: anybody can write a token that names a key. `none`
   * unless it is named exactly as `sign` names it. It may be asked with any string.
   */
  keyIdOf(token: string): Option<string>
}

/** Application tokens are JWTs (seed §2), so that others can verify them with a published key. */
export interface ApplicationTokens extends TokenFormat<ApplicationTokenClaims> {
  /** The public half of a key, to be published. */
  publicJwk(key: SigningKey): Either<KeyUnusable, PublicJwk>
}

/** User tokens are PASETOs of the purpose `v4.public`, which others can verify with a published key, too. */
export interface UserTokens extends TokenFormat<UserTokenClaims> {
  /** The public half of a key, to be published. */
  publicKey(key: SigningKey): Either<KeyUnusable, PublicPaserk>
}

/** A public Ed25519 key as PASERK writes it: its type, and its 32 bytes in base64url. */
export type PublicPaserk = `k4.public.${string}`

/** A public Ed25519 key as RFC 8037 §2 writes it. */
export type PublicJwk = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}>

export type InvalidToken = Readonly<{ _tag: 'InvalidToken' }>

/** `kid` is the key that cannot be used. */
export type KeyUnusable = Readonly<{ _tag: 'KeyUnusable'; kid: string }>

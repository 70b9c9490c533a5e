import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserJwtClaims, UserTokenClaims } from '../../domain/token.ts'

/**
 * Signs claims as a token, and verifies tokens. A format knows signatures and encodings; the domain validates the claims.
 * The format fixes the algorithm and never takes it from a token.
 *
 * No method throws or rejects. All may be called concurrently. An unusable key does not affect the other keys.
 */
export interface TokenFormat<Claims> {
  /**
   * Makes a key pair of this format. `sign` and `verify` later find `material` in a `SigningKey`. It does not start with `wrapped.`,
   * the prefix of encrypted material. `material` and `kid` are texts that a store can hold.
   */
  createKey: Task<Pick<SigningKey, 'kid' | 'material'>>

  /**
   * Returns a token with these claims that fits into a header (RFC 6750 §2.1). `KeyUnusable`: the key's material is not of this
   * format.
   */
  sign(claims: Claims, key: SigningKey): TaskEither<KeyUnusable, string>

  /**
   * Returns the claims of a token that one of these keys signed. It accepts any string and does not check times.
   *
   * Everything else is an `InvalidToken`: another format, algorithm, key or type, a claim that is missing or has the wrong type,
   * and another encoding of the same bytes.
   */
  verify(token: string, keys: ReadonlyArray<SigningKey>): TaskEither<InvalidToken, Claims>

  /**
   * Returns the key id in a token, without verification: anyone can write a token with a key id. It is none unless the token
   * contains it exactly as `sign` writes it. It accepts any string.
   */
  keyIdOf(token: string): Option<string>
}

/** A kind of token whose form is JWT. Others can verify it with a published key. */
export interface JwtFormat<Claims> extends TokenFormat<Claims> {
  /** Returns the public key to publish. */
  publicJwk(key: SigningKey): Either<KeyUnusable, PublicJwk>
}

/** Application tokens are JWTs (docs/contract.md §2.1). */
export type ApplicationTokens = JwtFormat<ApplicationTokenClaims>

/**
 * User tokens with `USER_TOKEN_FORMAT=jwt` (docs/contract.md §2.1). Their keys sign no application tokens.
 */
export type UserJwts = JwtFormat<UserJwtClaims>

/**
 * User tokens are PASETOs `v4.public` (docs/contract.md §2.1). Others can verify them with a published key.
 */
export interface UserTokens extends TokenFormat<UserTokenClaims> {
  /** Returns the public key to publish. */
  publicKey(key: SigningKey): Either<KeyUnusable, PublicPaserk>
}

/** A public Ed25519 key as PASERK: its type, and its 32 bytes in base64url. */
export type PublicPaserk = `k4.public.${string}`

/** A public Ed25519 key as JWK (RFC 8037 §2). */
export type PublicJwk = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}>

export type InvalidToken = Readonly<{ _tag: 'InvalidToken' }>

/** `kid` names the unusable key. */
export type KeyUnusable = Readonly<{ _tag: 'KeyUnusable'; kid: string }>

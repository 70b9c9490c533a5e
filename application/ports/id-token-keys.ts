import type { Either } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { KeyUnusable } from './token-format.ts'

/**
 * The keys of ID tokens: RSA with 2048 bits for RS256, the algorithm that every application can verify (OpenID Connect Core §15.1).
 * They sign nothing else. Who speaks the protocol signs the tokens, so this port only makes and reads the keys.
 *
 * No method throws or rejects. All may be called concurrently.
 */
export interface IdTokenKeys {
  /**
   * Makes a key pair. `load` later finds `material` in a `SigningKey`. It does not start with `wrapped.`, the prefix of encrypted
   * material. `kid` is the thumbprint of the public key (RFC 7638). Both are texts that a store can hold.
   *
   * It takes up to a second, and does not block other work meanwhile.
   */
  createKey: Task<Pick<SigningKey, 'kid' | 'material'>>

  /**
   * Returns the key pair, which signs what its public key verifies. `KeyUnusable`: the key has another purpose, or its material is not
   * of this form or not that of its key id.
   */
  load(key: SigningKey): Either<KeyUnusable, IdTokenKey>
}

/** A key pair, to publish and to sign with. `privateJwk` is never logged. */
export type IdTokenKey = Readonly<{ kid: string; publicJwk: PublicRsaJwk; privateJwk: PrivateRsaJwk }>

/** A public RSA key as JWK (RFC 7518 §6.3.1). */
export type PublicRsaJwk = Readonly<{
  kty: 'RSA'
  n: string
  e: string
  kid: string
  use: 'sig'
  alg: 'RS256'
}>

/** The same key with its secret members (RFC 7518 §6.3.2). */
export type PrivateRsaJwk = PublicRsaJwk &
  Readonly<{ d: string; p: string; q: string; dp: string; dq: string; qi: string }>

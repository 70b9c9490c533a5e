import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { KeyPurpose } from '../../domain/signing-key.ts'

/**
 * Key wrapping (NIST SP 800-57 part 1): encrypts the material of signing keys, and the secrets of authenticator apps, under a
 * key-encryption key. That key is kept outside the store, so that access to the store or a backup is not enough to sign, or to make
 * codes.
 *
 * Wrapped material opens only for the key that it was wrapped for. A store may have begun without a key-encryption key, so
 * `unwrap` returns plain material unchanged. Wrapping therefore does not authenticate the writer.
 *
 * No method throws. All are fast, because requests with a code of an authenticator app call them.
 */
export interface KeyWrapping {
  /** The id of the key-encryption key that `wrap` uses. If it is none, `wrap` returns the material unchanged. */
  readonly keyEncryptionKeyId: Option<string>

  /** Returns the material in the form to store. Each call returns a different text. */
  wrap(material: string, about: WrappedKey): string

  /** Returns the plain material. */
  unwrap(stored: string, about: WrappedKey): Either<CannotUnwrap, string>

  /** Returns the state of stored material. */
  assess(stored: string, about: WrappedKey): WrappingState
}

/** What the material belongs to: a signing key, or with the purpose `totp` the factor with the id `kid`. */
export type WrappedKey = Readonly<{ kid: string; purpose: KeyPurpose | 'totp' }>

/**
 * - `current`: `wrap` would not improve it
 * - `outdated`: it is plain, or under a previous key-encryption key
 * - `unreadable`: `unwrap` fails
 */
export type WrappingState = 'current' | 'outdated' | 'unreadable'

/** `reason` is for operators. It names the missing key-encryption key by its id and the setting, and contains no secret. */
export type CannotUnwrap = Readonly<{ _tag: 'CannotUnwrap'; reason: string }>

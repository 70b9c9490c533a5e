import type { Either } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { SigningKey } from '../../domain/signing-key.ts'

/**
 * Key wrapping (NIST SP 800-57 part 1): the material of signing keys is encrypted under a key-encryption key, which is kept
 * apart from the store, so that whoever reads the store or a back-up of it cannot sign.
 *
 * What is wrapped opens only for the key it was wrapped for. Material that is not wrapped counts as its own plain text, for
 * a store may have begun without a key-encryption key: wrapping keeps a secret, and does not prove who wrote it.
 *
 * No method throws. All are quick, and none is called for a request.
 */
export interface KeyWrapping {
  /** Names the key-encryption key that `wrap` uses; none: it leaves material as it is. */
  readonly keyEncryptionKeyId: Option<string>

  /** The material as it is to be stored; different at each call. */
  wrap(material: string, about: WrappedKey): string

  /** The material in its plain form. */
  unwrap(stored: string, about: WrappedKey): Either<CannotUnwrap, string>

  /** What stored material is worth. */
  assess(stored: string, about: WrappedKey): WrappingState
}

/** Whose material it is. */
export type WrappedKey = Pick<SigningKey, 'kid' | 'purpose'>

/**
 * - `current`: `wrap` would not do better now
 * - `outdated`: it is plain, or under a key-encryption key of before
 * - `unreadable`: `unwrap` cannot have it
 */
export type WrappingState = 'current' | 'outdated' | 'unreadable'

/** `reason` is for operators: it names what is missing, with its id and where to set it, and holds no secret. */
export type CannotUnwrap = Readonly<{ _tag: 'CannotUnwrap'; reason: string }>

import type { KeyObject } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { fromNullable, toUndefined } from 'fp-ts/lib/Option.js'
import type { CannotUnwrap, KeyWrapping, WrappedKey } from '../../application/ports/key-wrapping.ts'
import { decrypted, derivedKey, encrypted } from './aes-gcm.ts'

/**
 * Key wrapping with AES-256-GCM (NIST SP 800-38D) under keys that HKDF-SHA-256 (RFC 5869) derives from secrets. It
 * uses the synchronous node:crypto, a few microseconds per key.
 *
 * Wrapped material is `wrapped.v1$ID$base64url(nonce | ciphertext | tag)`: the id of the key-encryption key, a random
 * nonce of 96 bits and a tag of 128 bits. The scheme, the id, and the kid and purpose of the wrapped key are
 * authenticated too. No other material begins like that: a JWK begins with `{`, a PASERK with `k`.
 *
 * @param secrets the first wraps, and all of them unwrap. Without secrets, material is not wrapped
 */
export const aesKeyWrapping = (
  secrets: ReadonlyArray<Readonly<{ id: string; secret: string }>>,
): KeyWrapping => {
  const keys = secrets.map(({ id, secret }): KeyEncryptionKey => {
    if (!ID.test(id)) throw new RangeError('the id of a key-encryption key is 1 to 16 of A-Z a-z 0-9 _ -')
    return { id, key: derivedKey(secret, 'portcullis key-encryption key v1') }
  })
  const [current] = keys

  const unwrap: KeyWrapping['unwrap'] = (stored, about) => {
    if (!isWrapped(stored)) return E.right(stored)
    const [, id, sealed] = FORM.exec(stored) ?? []
    if (id === undefined || sealed === undefined)
      return cannot(about, 'is encrypted in a form that this version does not know')
    const key = keys.find((one) => one.id === id)
    if (key === undefined) {
      const lack = current === undefined ? 'KEY_ENCRYPTION_KEY is not set' : `KEY_ENCRYPTION_KEY lacks ${id}`
      return cannot(about, `is encrypted under the key-encryption key ${id}, and ${lack}`)
    }
    const material = opened(key, Buffer.from(sealed, 'base64url'), about)
    return material === undefined
      ? cannot(
          about,
          `does not open under the key-encryption key ${id}: KEY_ENCRYPTION_KEY has another secret under this id, or the store is damaged`,
        )
      : E.right(material)
  }

  return {
    keyEncryptionKeyId: fromNullable(current?.id),

    wrap: (material, about) => (current === undefined ? material : sealed(current, material, about)),

    unwrap,

    assess: (stored, about) => {
      if (E.isLeft(unwrap(stored, about))) return 'unreadable'
      return FORM.exec(stored)?.[1] === current?.id ? 'current' : 'outdated'
    },
  }
}

type KeyEncryptionKey = Readonly<{ id: string; key: KeyObject }>

const SCHEME = 'wrapped.v1'
const ID_TEXT = '[A-Za-z0-9_-]{1,16}'

/** Material under any other id could be written but not read. */
const ID = new RegExp(`^${ID_TEXT}$`)
const FORM = new RegExp(`^wrapped\\.v1\\$(${ID_TEXT})\\$([A-Za-z0-9_-]+)$`)

/** Recognizes later forms too, so that they are never taken for plain material. */
const isWrapped = (stored: string): boolean => stored.startsWith('wrapped.')

const sealed = ({ id, key }: KeyEncryptionKey, material: string, about: WrappedKey): string =>
  `${SCHEME}$${id}$${encrypted(key, material, authenticated(id, about)).toString('base64url')}`

/** The material, or undefined if the tag does not match this key and this wrapped key. */
const opened = ({ id, key }: KeyEncryptionKey, bytes: Buffer, about: WrappedKey): string | undefined =>
  toUndefined(decrypted(key, bytes, authenticated(id, about)))

/** JSON keeps the fields apart, so that no two wrapped keys have the same text. */
const authenticated = (id: string, { kid, purpose }: WrappedKey): Buffer =>
  Buffer.from(JSON.stringify([SCHEME, id, kid, purpose]))

const cannot = ({ kid, purpose }: WrappedKey, why: string): E.Either<CannotUnwrap, never> =>
  E.left({
    _tag: 'CannotUnwrap',
    reason: `${purpose === 'totp' ? 'the secret of factor' : 'signing key'} ${kid} ${why}`,
  })

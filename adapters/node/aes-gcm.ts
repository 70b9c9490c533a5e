import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { none, type Option, some } from 'fp-ts/lib/Option.js'

/**
 * AES-256-GCM (NIST SP 800-38D) with the synchronous node:crypto: a few microseconds for a short text.
 *
 * The bytes are a random nonce of 96 bits, the ciphertext and a tag of 128 bits.
 */

/**
 * Returns the key that HKDF-SHA-256 (RFC 5869) derives from a secret. Secrets are long and random
 * (adapters/config/settings.ts), so a slow derivation is not needed.
 *
 * @param info the use of the key: keys of different uses are independent
 */
export const derivedKey = (secret: string, info: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', info, 32)))

/** @param authenticated is not in the bytes, and must be the same for `decrypted` */
export const encrypted = (key: KeyObject, text: string, authenticated: Buffer): Buffer => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(authenticated)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** The text, or none if the tag does not match the key, the bytes and what was authenticated. */
export const decrypted = (key: KeyObject, bytes: Buffer, authenticated: Buffer): Option<string> => {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(authenticated)
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return some(Buffer.concat([text, decipher.final()]).toString('utf8'))
  } catch {
    return none
  }
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

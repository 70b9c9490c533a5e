import { none, type Option, some } from 'fp-ts/lib/Option.js'

/**
 * API keys of an application (docs/contract.md §2.2).
 *
 * - public: `pk_` + the application's id. It names the application and is not secret.
 * - private: `sk_` + 256 random bits in base62 (43 characters) + their CRC-32 in base62 (6 characters).
 *
 * Secret scanners recognize the prefix and the checksum. The checksum also rejects mistyped keys without a look-up.
 */
export type PublicApiKey = `pk_${string}`
export type PrivateApiKey = `sk_${string}`

/** 256 bits cannot be guessed, so a plain SHA-256 digest is safe to store. */
export const PRIVATE_KEY_BYTES = 32

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 43 // ⌈256 / log2 62⌉
const CHECKSUM_LENGTH = 6 // ⌈32 / log2 62⌉
const APPLICATION_ID = /^pk_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const PRIVATE_KEY = new RegExp(`^sk_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/** Returns the public key of the application with this id (a UUID). */
export const publicApiKey = (applicationId: string): PublicApiKey => `pk_${applicationId}`

/** Returns the application id in a public key; none if the key is malformed. */
export const applicationIdOf = (publicKey: string): Option<string> => {
  const id = APPLICATION_ID.exec(publicKey)?.[1]
  return id === undefined ? none : some(id)
}

/** Makes a private key from `PRIVATE_KEY_BYTES` random bytes. */
export const privateApiKey = (random: Uint8Array): PrivateApiKey => {
  if (random.length !== PRIVATE_KEY_BYTES)
    throw new RangeError(`a private key takes ${PRIVATE_KEY_BYTES} bytes`)
  const secret = base62(
    random.reduce((number, byte) => number * 256n + BigInt(byte), 0n),
    SECRET_LENGTH,
  )
  return `sk_${secret}${checksum(secret)}`
}

/** Whether the text is a well-formed private key with a correct checksum. It does not check who owns the key. */
export const isPrivateApiKey = (text: string): text is PrivateApiKey => {
  const [, secret, sum] = PRIVATE_KEY.exec(text) ?? []
  return secret !== undefined && sum === checksum(secret)
}

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH)

const base62 = (number: bigint, length: number): string => {
  let digits = ''
  for (let rest = number; digits.length < length; rest /= 62n)
    digits = DIGITS.charAt(Number(rest % 62n)) + digits
  return digits
}

/** CRC-32 of ISO 3309, which gzip and PNG use, over ASCII text. */
const crc32 = (ascii: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < ascii.length; index += 1) {
    crc ^= ascii.charCodeAt(index)
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

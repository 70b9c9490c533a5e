/**
 * Secrets of 256 random bits in a form that secret scanners recognize: a prefix, the bits in base62 (43 characters) and their
 * CRC-32 in base62 (6 characters). The checksum also rejects mistyped secrets without a look-up.
 */

/** 256 bits cannot be guessed, so a plain SHA-256 digest is safe to store. */
export const SECRET_BYTES = 32

/** Makes a secret from `SECRET_BYTES` random bytes. */
export const randomSecret = <Prefix extends `${string}_`>(
  prefix: Prefix,
  random: Uint8Array,
): `${Prefix}${string}` => {
  if (random.length !== SECRET_BYTES) throw new RangeError(`a secret takes ${SECRET_BYTES} bytes`)
  const secret = base62(
    random.reduce((number, byte) => number * 256n + BigInt(byte), 0n),
    SECRET_LENGTH,
  )
  return `${prefix}${secret}${checksum(secret)}`
}

/** Returns whether a text is a well-formed secret with this prefix and a correct checksum. */
export const secretPattern = <Prefix extends `${string}_`>(prefix: Prefix) => {
  const pattern = new RegExp(`^${prefix}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)
  return (text: string): text is `${Prefix}${string}` => {
    const [, secret, sum] = pattern.exec(text) ?? []
    return secret !== undefined && sum === checksum(secret)
  }
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 43 // ⌈256 / log2 62⌉
const CHECKSUM_LENGTH = 6 // ⌈32 / log2 62⌉

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

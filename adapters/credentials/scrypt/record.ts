import { createHmac, hash, randomBytes } from 'node:crypto'

/** The cost of scrypt (RFC 7914 §2): N = 2^logN, block size r, parallelization p. */
export type ScryptCost = Readonly<{ logN: number; r: number; p: number }>

/** A secret that is mixed into passwords and kept outside the store. Records contain its id. */
export type Pepper = Readonly<{ id: string; secret: string }>

/** The pepper of records without one. */
export const NO_PEPPER: Pepper = { id: '', secret: '' }

/** A parsed password record. */
export type PasswordRecord = Readonly<{ pepperId: string; cost: ScryptCost; kdf: Uint8Array }>

/**
 * Formats a record as `scheme$pepper-id$base64(scrypt-kdf record)`. Scheme 1 hashes the HMAC-SHA-512 of the password's
 * UTF-8 bytes, with the pepper as its key.
 */
export const formatRecord = (kdf: Uint8Array, pepper: Pepper): string =>
  `${BEGINNING}${pepper.id}$${Buffer.from(kdf).toString('base64')}`

/**
 * Parses a record, if it has this scheme and scrypt can run it. Records that scrypt-kdf would refuse before the work
 * count as unreadable, so that verifying them costs the same as others.
 */
export const parseRecord = (stored: string): PasswordRecord | undefined => {
  const end = stored.indexOf('$', BEGINNING.length) // of the pepper id
  if (!stored.startsWith(BEGINNING) || end < 0 || stored.includes('$', end + 1)) return undefined
  const kdf = Buffer.from(stored.slice(end + 1), 'base64')
  if (kdf.length !== RECORD_BYTES) return undefined
  const cost = costIn(kdf)
  const beginning = kdf.toString('latin1', 0, CHECKED_BYTES + CHECKSUM_BYTES)
  const readable = beginning.startsWith(MAGIC) && beginning.endsWith(checksum(kdf)) && isAffordable(cost)
  return readable ? { pepperId: stored.slice(BEGINNING.length, end), cost, kdf } : undefined
}

/** The work of a cost: N·r·p blocks. */
export const workOf = ({ logN, r, p }: ScryptCost): number => 2 ** logN * r * p

/** Whether scrypt can run at this cost: 128·N·r bytes of memory, and the limits of OpenSSL. */
export const isAffordable = ({ logN, r, p }: ScryptCost): boolean =>
  logN >= 1 && r >= 1 && p >= 1 && logN < 16 * r && 128 * r * (2 ** logN + p) <= MAX_MEMORY_BYTES

/**
 * The input of scrypt: 64 bytes for every password. scrypt begins with HMAC-SHA-256, which pads shorter keys with
 * zeros and replaces longer ones by their digest. Without this, `abc` would equal `abc\0`, and a long password its
 * SHA-256.
 */
export const preHash = (password: string, pepper: Pepper): Uint8Array =>
  createHmac('sha512', pepper.secret).update(password, 'utf8').digest()

/**
 * A well-formed record that no password matches, for missing accounts: verifying it costs the same. Its layout is that
 * of scrypt-kdf: magic, version, cost, salt, checksum, MAC.
 */
export const decoyRecord = ({ logN, r, p }: ScryptCost): Uint8Array => {
  const record = Buffer.alloc(RECORD_BYTES)
  record.write(MAGIC, 'latin1')
  record.writeUInt8(logN, 7)
  record.writeUInt32BE(r, 8)
  record.writeUInt32BE(p, 12)
  randomBytes(32).copy(record, 16)
  record.write(checksum(record), CHECKED_BYTES, 'latin1')
  randomBytes(32).copy(record, 64)
  return record
}

/** The checksum of cost and salt, which tells a damaged record from a wrong password: one character a byte. */
const checksum = (record: Buffer): string =>
  hash('sha256', record.subarray(0, CHECKED_BYTES), 'binary').slice(0, CHECKSUM_BYTES)

/** The cost in a record of scrypt-kdf: it follows `MAGIC`. */
const costIn = (kdf: Buffer): ScryptCost => ({
  logN: kdf.readUInt8(7),
  r: kdf.readUInt32BE(8),
  p: kdf.readUInt32BE(12),
})

/** The first bytes of a record of scrypt-kdf: the name, and 0 for the version of the format. */
const MAGIC = 'scrypt\0'
const RECORD_BYTES = 96
const BEGINNING = '1$'
const CHECKED_BYTES = 48
const CHECKSUM_BYTES = 16

const MAX_MEMORY_BYTES = 2 ** 31 - 1 // the limit that scrypt-kdf gives to OpenSSL

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { costIn, MAGIC, RECORD_BYTES } from '../records/password-scheme.ts'

/** The cost of one scrypt (RFC 7914 §2): N = 2^logN blocks of 128·r bytes, p times. */
export type ScryptCost = Readonly<{ logN: number; r: number; p: number }>

/** A secret that passwords are mixed with, kept apart from the store. Its id stands in every record made with it. */
export type Pepper = Readonly<{ id: string; secret: string }>

/** What records without a pepper say. */
export const NO_PEPPER: Pepper = { id: '', secret: '' }

/** A password as it is stored, taken apart. */
export type PasswordRecord = Readonly<{ pepperId: string; cost: ScryptCost; kdf: Uint8Array }>

/**
 * A password as it is stored: `scheme$pepper-id$base64(scrypt-kdf record)`. Scheme 1 hashes the HMAC-SHA-512 of the
 * password's UTF-8 bytes, with the pepper for its key.
 */
export const formatRecord = (kdf: Uint8Array, pepper: Pepper): string =>
  `${SCHEME}$${pepper.id}$${Buffer.from(kdf).toString('base64')}`

/**
 * The record, if the stored text is of this scheme and scrypt can be run on it. What scrypt-kdf would refuse before the
 * work counts as unreadable here, so that it costs as much as any other record.
 */
export const parseRecord = (stored: string): PasswordRecord | undefined => {
  const [scheme, pepperId, encoded, ...more] = stored.split('$')
  if (scheme !== SCHEME || pepperId === undefined || encoded === undefined || more.length > 0)
    return undefined
  const kdf = Buffer.from(encoded, 'base64')
  if (kdf.length !== RECORD_BYTES) return undefined
  const cost = costIn(kdf)
  const readable =
    kdf.subarray(0, 7).equals(MAGIC) && kdf.subarray(48, 64).equals(checksum(kdf)) && isAffordable(cost)
  return readable ? { pepperId, cost, kdf } : undefined
}

/** How much work a cost is: N·r·p blocks. */
export const workOf = ({ logN, r, p }: ScryptCost): number => 2 ** logN * r * p

/** Whether scrypt can be run at this cost at all: 128·N·r bytes at once, and OpenSSL's own limits. */
export const isAffordable = ({ logN, r, p }: ScryptCost): boolean =>
  logN >= 1 && r >= 1 && p >= 1 && logN < 16 * r && 128 * r * (2 ** logN + p) <= MAX_MEMORY_BYTES

/**
 * What scrypt is given instead of the password: always 64 bytes. scrypt begins with HMAC-SHA-256, which pads
 * shorter keys with zeros and replaces longer ones by their digest, so that `abc` would equal `abc\0` and a long
 * password its own SHA-256.
 */
export const preHash = (password: string, pepper: Pepper): Uint8Array =>
  createHmac('sha512', pepper.secret).update(password, 'utf8').digest()

/**
 * A well-formed record that no password fits, for accounts that do not exist: checking against it costs what any
 * other check costs. Laid out as scrypt-kdf lays it out: magic, version, cost, salt, checksum, MAC.
 */
export const decoyRecord = ({ logN, r, p }: ScryptCost): Uint8Array => {
  const record = Buffer.alloc(RECORD_BYTES)
  MAGIC.copy(record)
  record.writeUInt8(logN, 7)
  record.writeUInt32BE(r, 8)
  record.writeUInt32BE(p, 12)
  randomBytes(32).copy(record, 16)
  checksum(record).copy(record, 48)
  randomBytes(32).copy(record, 64)
  return record
}

/** Of cost and salt: it tells a damaged record from a wrong password. */
const checksum = (record: Buffer): Buffer =>
  createHash('sha256').update(record.subarray(0, 48)).digest().subarray(0, 16)

const SCHEME = '1'
const MAX_MEMORY_BYTES = 2 ** 31 - 1 // what scrypt-kdf lets OpenSSL take

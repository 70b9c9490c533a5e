import { timingSafeEqual } from 'node:crypto'
import type { ForeignScheme } from '../../../domain/foreign-scheme.ts'

/** A checked password record of another system. */
export type ForeignRecord = Readonly<{
  scheme: ForeignScheme
  /** Whether the record was made from this password. Libraries of the algorithm are loaded by the first call. */
  matches: (password: string) => Promise<boolean>
  /** The algorithm ignores what follows these first bytes of a password. Absent if it compares all. */
  comparedBytes?: number
}>

/** A well-formed record whose cost and lengths are not yet checked. */
export type ReadRecord = ForeignRecord & Readonly<{ salt: Uint8Array; output: Uint8Array }>

/** A decimal number without leading zeros, as the PHC string format writes it. */
export const NUMBER = '(0|[1-9][0-9]{0,9})'

/** Unpadded base64 as the PHC string format writes it. */
export const BASE64 = '([A-Za-z0-9+/]+)'

/** The bytes of unpadded base64; none if the text is empty, or not what an encoder writes. */
export const bytesOf = (text = ''): Buffer | undefined => {
  if (text === '') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : undefined
}

/**
 * Whether the output is that of a record, for algorithms that use the password as the key of an HMAC. HMAC fills its key with NUL, so
 * `abc\0` would equal `abc`. These are two passwords.
 */
export const isOutputOf = (password: string, computed: Uint8Array, output: Uint8Array): boolean =>
  timingSafeEqual(computed, output) && !password.endsWith('\0')

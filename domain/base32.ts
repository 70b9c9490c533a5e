import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { digitsOf } from './bits.ts'

/** Returns the bytes in base32 (RFC 4648 §6) without padding, in upper case. */
export const base32 = (bytes: Uint8Array): string => digitsOf(bytes, { bits: 5, alphabet: ALPHABET })

/** Returns the bytes of a text that `base32` wrote. None for any other text, also for another writing of the same bytes. */
export const bytesOfBase32 = (text: string): Option<Uint8Array> => {
  const read = wholeBytesOf(text)
  return base32(read) === text ? some(read) : none
}

/**
 * Returns the bytes of a text that another program wrote: in either case, with or without padding. Bits behind the last whole byte are
 * ignored, as authenticator apps do. None for other text, and for a length that no bytes have.
 */
export const bytesOfAnyBase32 = (text: string): Option<Uint8Array> => {
  const [, digits = '', padding = ''] = ANY_FORM.exec(text) ?? []
  const read = wholeBytesOf(digits.toUpperCase())
  const isWhole = base32(read).length === digits.length && (padding === '' || text.length % 8 === 0)
  return digits !== '' && isWhole ? some(read) : none
}

const ANY_FORM = /^([A-Za-z2-7]+)(={0,6})$/

const wholeBytesOf = (text: string): Uint8Array => {
  const bytes: Array<number> = []
  let value = 0
  let bits = 0
  for (const digit of text) {
    value = (value << 5) | ALPHABET.indexOf(digit)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >>> bits) & 255)
    value &= 31
  }
  return Uint8Array.from(bytes)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

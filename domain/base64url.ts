import { digitsOf } from './bits.ts'

/** Returns the bytes in base64url (RFC 4648 §5) without padding. */
export const base64url = (bytes: Uint8Array): string => digitsOf(bytes, { bits: 6, alphabet: ALPHABET })

/** Whether a text is bytes in base64url without padding, as `base64url` writes them: each sequence of bytes has one text. */
export const isBase64url = (text: string): boolean => {
  const last = ALPHABET.indexOf(text.charAt(text.length - 1))
  const unused = UNUSED[text.length % 4]
  return /^[A-Za-z0-9_-]+$/.test(text) && unused !== undefined && last % unused === 0
}

/** Of the last character, by the length modulo 4, what divides its value. One character alone is less than a byte. */
const UNUSED = [1, undefined, 16, 4]

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

import { digitsOf } from './bits.ts'

/** Returns the bytes in base64url (RFC 4648 §5) without padding. */
export const base64url = (bytes: Uint8Array): string => digitsOf(bytes, { bits: 6, alphabet: ALPHABET })

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

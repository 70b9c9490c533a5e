/** Returns the bytes in base64url (RFC 4648 §5) without padding. */
export const base64url = (bytes: Uint8Array): string => {
  let text = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    for (; bits >= 6; bits -= 6) text += ALPHABET.charAt((value >>> (bits - 6)) & 63)
    value &= 63
  }
  return bits === 0 ? text : text + ALPHABET.charAt((value << (6 - bits)) & 63)
}

/** Whether a text is bytes in base64url without padding, as `base64url` writes them: each sequence of bytes has one text. */
export const isBase64url = (text: string): boolean => {
  const last = ALPHABET.indexOf(text.charAt(text.length - 1))
  const unused = UNUSED[text.length % 4]
  return /^[A-Za-z0-9_-]+$/.test(text) && unused !== undefined && last % unused === 0
}

/** Of the last character, by the length modulo 4, what divides its value. One character alone is less than a byte. */
const UNUSED = [1, undefined, 16, 4]

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

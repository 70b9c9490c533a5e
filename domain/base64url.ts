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

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Returns the bytes as digits of so many bits each, without padding (RFC 4648 §4 to §6).
 *
 * @param alphabet the digits, of which there are two to the power of `bits`
 */
export const digitsOf = (
  bytes: Uint8Array,
  { bits, alphabet }: Readonly<{ bits: number; alphabet: string }>,
): string => {
  const mask = alphabet.length - 1
  let text = ''
  let value = 0
  let count = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    count += 8
    for (; count >= bits; count -= bits) text += alphabet.charAt((value >>> (count - bits)) & mask)
    value &= mask
  }
  return count === 0 ? text : text + alphabet.charAt((value << (bits - count)) & mask)
}

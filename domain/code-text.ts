/**
 * Returns a code without what people, keyboards and messengers put into it: spaces, dashes and invisible characters. Full-width letters
 * and the digits of other scripts become those of ASCII (Unicode NFKC and Nd).
 */
export const codeText = (entered: string): string =>
  entered
    .normalize('NFKC')
    .replace(SEPARATORS, '')
    .replace(/\p{Nd}/gu, asciiDigit)

/** Also the minus and the hyphen bullet, which are no dashes in Unicode. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212\u2043]/gu

/** The digits of a script follow each other, from 0 to 9. Some scripts follow each other, too. */
const asciiDigit = (digit: string): string => {
  const at = digit.codePointAt(0) ?? 0
  let first = at
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((at - first) % 10)
}

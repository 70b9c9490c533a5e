/** Whether a text can be the name of an application or operator: 1 to 100 printable characters. Lists show one name per line. */
export const isName = (text: string): boolean => isPrintable(text, 100)

/** Whether a text has 1 to `maxCharacters` printable characters, and not only spaces. */
export const isPrintable = (text: string, maxCharacters: number): boolean => {
  const visible = text.replace(INVISIBLE, '')
  return (
    text.isWellFormed() &&
    [...text].length <= maxCharacters &&
    /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(visible) &&
    visible.trim() !== ''
  )
}

/**
 * Returns the form of a name in which searches compare it: NFC and lower case. It lowers each character by itself, because the lower case
 * of a Σ depends on what follows it: a beginning of a name must stay one.
 */
export const nameKey = (name: string): string =>
  [...name.normalize('NFC')].map((character) => character.toLowerCase()).join('')

/** Joiners and tag characters. Persian and Hindi words, families and flags are written with them. */
const INVISIBLE = /\u200c|\u200d|[\u{e0020}-\u{e007f}]/gu

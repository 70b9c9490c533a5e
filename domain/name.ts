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

/** Joiners and tag characters. Persian and Hindi words, families and flags are written with them. */
const INVISIBLE = /\u200c|\u200d|[\u{e0020}-\u{e007f}]/gu

/** Whether a text can be the name of an application or operator: 1 to 100 printable characters. Lists show one name per line. */
export const isName = (text: string): boolean => isPrintable(text, 100)

/** Whether a text has 1 to `maxCharacters` printable characters, and not only spaces. */
export const isPrintable = (text: string, maxCharacters: number): boolean =>
  text.isWellFormed() &&
  [...text].length <= maxCharacters &&
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) &&
  text.trim() !== ''

/** Whether a text can be the name of an application or operator: 1 to 100 printable characters. Lists show one name per line. */
export const isName = (text: string): boolean =>
  text.isWellFormed() &&
  [...text].length <= MAX_CHARACTERS &&
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) &&
  text.trim() !== ''

const MAX_CHARACTERS = 100

/**
 * A text as a terminal and a log can show it: characters that move the cursor, hide text or change its direction become escapes of
 * JSON. So a name in a row cannot forge a line, and a line of JSON means what it meant. Line feeds stay.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

/** The same for a value that is part of a line. */
export const printableOnLine = (text: string): string => printable(text).replaceAll('\n', '\\n')

/**
 * Controls, formats such as the bidirectional ones, tags, lone surrogates, what has no character, and the separators of Unicode. A
 * joiner (U+200C, U+200D) stays where it has a meaning: Persian and Hindi names and joined emoji need it, and no ASCII letter does.
 */
const UNPRINTABLE = /(?!\n)(?!(?<=[^\0-\x7f])[\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a word as a POSIX shell reads it. */
export const quotedForShell = (word: string): string =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

import { createHash } from 'node:crypto'

export const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

/** A list of leaked passwords as published: sorted digests, one per line. */
export const digestLines = (passwords: ReadonlyArray<string>, behind = '', lineEnd = '\n'): string =>
  passwords
    .map(sha1)
    .sort()
    .map((digest) => `${digest.toUpperCase()}${behind}${lineEnd}`)
    .join('')

import { createHash } from 'node:crypto'

/** A fixed length for keys of any length and with any character. Copies of counts rely on it, so it never changes. */
export const digestOfKey = (key: string): string =>
  createHash('sha256').update(Buffer.from(key, 'utf16le')).digest('hex')

import { isUtf8 } from 'node:buffer'

/** The text of a file or of standard input, without a byte order mark; undefined if it is not UTF-8, for example UTF-16. */
export const textIn = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? withoutByteOrderMark(bytes).toString('utf8') : undefined

/** Some editors and shells write a byte order mark before the first character. It would become part of a name or a secret. */
const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** A file with one value may end like a line, also as Windows ends it. */
export const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

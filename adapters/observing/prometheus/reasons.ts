/**
 * The label for the reason of a `StoreUnavailable`. A reason is any text for operators, and a label has a fixed set of values.
 *
 * It recognizes the labels themselves, the codes of SQLite, PostgreSQL and the operating system, and the reasons of our stores.
 * The first match counts. Every other text is `other`.
 */
export const reasonClassOf = (reason: string): string =>
  REASON_CLASSES.find((name) => name === reason) ??
  CLASSES.find(([, patterns]) => patterns.some((pattern) => pattern.test(reason)))?.[0] ??
  OTHER

const OTHER = 'other'

/** A SQLSTATE (five digits and capitals) that begins with one of these. */
const sqlState = (beginnings: string): RegExp =>
  new RegExp(`^(?:PostgreSQL says )?(?=[0-9A-Z]{5}$)(?:${beginnings})`)

/** A code of the operating system, as Node.js names it. */
const system = (names: string): RegExp => new RegExp(`^(?:${names})$`)

const CLASSES: ReadonlyArray<readonly [name: string, patterns: ReadonlyArray<RegExp>]> = [
  ['closed', [/^the store is closed$/]],
  ['full', [/^SQLITE_FULL$/, sqlState('53100'), system('ENOSPC|EDQUOT')]],
  [
    'busy',
    [
      /^SQLITE_(?:BUSY|LOCKED)|^too many /,
      sqlState('40|53|55P03|57014'),
      system('EAGAIN|EBUSY|EMFILE|ENFILE|ENOMEM'),
    ],
  ],
  ['unreadable', [/^unreadable entry in |^SQLITE_(?:CORRUPT|NOTADB)/, sqlState('XX')]],
  [
    'disk',
    [
      /^SQLITE_(?:IOERR|CANTOPEN|READONLY)/,
      sqlState('58'),
      system('EBADF|EFBIG|EIO|EISDIR|ENODEV|ENOTDIR|ENXIO|EROFS|ESTALE'),
    ],
  ],
  [
    'connection',
    [
      sqlState('08|28|57'),
      system(
        'E(?:ADDR|CONN|HOST|NET|AI_)[A-Z]+|ENOTCONN|ENOTFOUND|EPIPE|EPROTO|ESHUTDOWN|ETIMEDOUT|ETIMEOUT',
      ),
      system('EACCES|ENOENT|EPERM'), // of the Unix socket of PostgreSQL
      /[Cc]onnection|time(?:d )?out/,
    ],
  ],
  ['refused', [/^SQLITE_CONSTRAINT|^PostgreSQL says /, sqlState('0A|22|23|25|42|P0')]],
]

/** All values of the label. */
export const REASON_CLASSES: ReadonlyArray<string> = [...CLASSES.map(([name]) => name), OTHER]

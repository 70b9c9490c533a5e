/**
 * What kind of reason a store has given: it may give any, in words for operators, and a label takes only some.
 *
 * The first that fits. `other` is also what a store of somebody else says in words of its own.
 */
export const reasonClassOf = (reason: string): string =>
  CLASSES.find(([, pattern]) => pattern.test(reason))?.[0] ?? OTHER

const OTHER = 'other'

const CLASSES: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['closed', /^the store is closed$/],
  ['full', /^SQLITE_FULL$|^ENOSPC$|^PostgreSQL says 53100$/],
  ['busy', /^SQLITE_(?:BUSY|LOCKED)|^too many |^PostgreSQL says (?:40|53|55P03|57014)/],
  ['unreadable', /^unreadable entry in |^SQLITE_(?:CORRUPT|NOTADB)|^PostgreSQL says XX/],
  ['disk', /^SQLITE_(?:IOERR|CANTOPEN|READONLY)|^PostgreSQL says 58/],
  ['connection', /^E[A-Z]+$|^PostgreSQL says (?:08|28|57)|[Cc]onnection|time(?:d )?out/],
  ['refused', /^SQLITE_CONSTRAINT|^PostgreSQL says /],
]

/** All there are. */
export const REASON_CLASSES: ReadonlyArray<string> = [...CLASSES.map(([name]) => name), OTHER]

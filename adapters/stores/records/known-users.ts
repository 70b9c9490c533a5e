import type { UserKeys } from '../../../application/ports/store.ts'

/**
 * Returns the keys that a database has found, in the order of the question. A database may replace what is not well-formed
 * Unicode, so a stored key that equals no asked one is left out.
 */
export const knownAmong = (
  asked: UserKeys,
  found: Readonly<{ emailKeys: ReadonlyArray<unknown>; ids: ReadonlyArray<unknown> }>,
): UserKeys => ({ emailKeys: among(asked.emailKeys, found.emailKeys), ids: among(asked.ids, found.ids) })

const among = (asked: ReadonlyArray<string>, found: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const known = new Set(found)
  return asked.filter((key) => known.has(key))
}

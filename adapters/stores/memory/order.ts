import type { Session } from '../../../domain/session.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { Columns } from '../records/rows.ts'

/** Returns the first ids of a table above `after`, ascending. */
export const idsAfter =
  (after: string, limit: number) =>
  (table: ReadonlyMap<string, Columns>): ReadonlyArray<string> =>
    [...table.keys()]
      .filter((id) => byCodePoint(id, after) > 0)
      .sort(byCodePoint)
      .slice(0, Math.max(0, limit))

/** Returns the ids of the rows of a table that expired first, before this second. */
export const idsExpired =
  (expiry: string, beforeSeconds: number, limit: number) =>
  (table: ReadonlyMap<string, Columns>): ReadonlyArray<string> =>
    [...table]
      .map(([id, row]) => ({ id, at: Number(row[expiry]) }))
      .filter(({ at }) => at < beforeSeconds)
      .sort((one, other) => one.at - other.at || byCodePoint(one.id, other.id))
      .slice(0, Math.max(0, limit))
      .map(({ id }) => id)

/** By UTF-8 bytes, which is the order of code points. `<` compares UTF-16, which differs for some code points. */
export const byCodePoint = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Rows of a table by their id. */
export const byId = (one: Columns, other: Columns): number => byCodePoint(String(one.id), String(other.id))

export const oldestFirst = (one: SigningKey, other: SigningKey): number =>
  one.createdAtSeconds - other.createdAtSeconds || byCodePoint(one.id, other.id)

export const lastingFirst = (one: Session, other: Session): number =>
  other.expiresAtSeconds - one.expiresAtSeconds || byCodePoint(other.id, one.id)

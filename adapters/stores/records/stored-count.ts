import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { StoredCount } from '../../../application/ports/store-copy.ts'
import { Integer } from './columns.ts'

const Row = t.type({
  key: t.string,
  kind: t.string,
  count: Integer,
  refused_until: Integer,
  forgotten_from: Integer,
})

/** The columns of a count. */
export type CountColumns = t.TypeOf<typeof Row>

export const rowOfCount = ({ key, kind, count, refusedUntil, forgottenFrom }: StoredCount): CountColumns => ({
  key,
  kind,
  count,
  refused_until: refusedUntil,
  forgotten_from: forgottenFrom,
})

/** The counts in rows. It leaves out unreadable ones, which count as no failures. */
export const countsIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<StoredCount> =>
  rows.flatMap((columns) => {
    const row = Row.decode(columns)
    if (isLeft(row)) return []
    const { key, kind, count, refused_until, forgotten_from } = row.right
    return [{ key, kind, count, refusedUntil: refused_until, forgottenFrom: forgotten_from }]
  })

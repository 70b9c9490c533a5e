import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { RowOf, StoreUnavailable, Table } from '../../../application/ports/store.ts'
import { ROWS } from './rows.ts'

/** The failure of every store, with its reason. */
export const unavailable = (reason: string): E.Either<StoreUnavailable, never> =>
  E.left({ _tag: 'StoreUnavailable', reason })

export const STORE_CLOSED = unavailable('the store is closed')

/** The failure when a codec rejects what is stored in `place`. It names no value: that might be a secret. */
export const orUnreadable = (place: string) =>
  E.mapLeft((): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason: `unreadable entry in ${place}` }))

/** The record in the row that a query found; none when it found no row. */
export const oneRow = <T extends Table>(
  table: T,
  columns: unknown,
): E.Either<StoreUnavailable, O.Option<RowOf<T>>> =>
  columns === undefined
    ? E.right(O.none)
    : pipe(ROWS[table].decode(columns), E.map(O.some), orUnreadable(table))

/** The records in rows of one table. */
export const manyRows = <T extends Table>(
  table: T,
  rows: ReadonlyArray<unknown>,
): E.Either<StoreUnavailable, ReadonlyArray<RowOf<T>>> =>
  pipe(rows, E.traverseArray(ROWS[table].decode), orUnreadable(table))

/** The same, from values in the order of the columns. */
export const manyRawRows = <T extends Table>(
  table: T,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): E.Either<StoreUnavailable, ReadonlyArray<RowOf<T>>> =>
  pipe(
    rows,
    E.traverseArray((values) => ROWS[table].decodeValues(values, 0)),
    orUnreadable(table),
  )

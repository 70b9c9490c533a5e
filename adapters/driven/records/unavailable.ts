import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { StoreUnavailable, Table } from '../../../application/ports/store.ts'
import type { RowCodec } from './rows.ts'

/** What every store answers when it cannot. */
export const unavailable = (reason: string): E.Either<StoreUnavailable, never> =>
  E.left({ _tag: 'StoreUnavailable', reason })

export const STORE_CLOSED = unavailable('the store is closed')

/** What a store answers when it finds something in `place` that it cannot have written. Values stay unsaid. */
export const orUnreadable = (place: string) =>
  E.mapLeft((): StoreUnavailable => ({ _tag: 'StoreUnavailable', reason: `unreadable entry in ${place}` }))

/** The record in a row that was looked for, if there is such a row. */
export const oneRow = <Entity>(
  codec: RowCodec<Entity>,
  table: Table,
  columns: unknown,
): E.Either<StoreUnavailable, O.Option<Entity>> =>
  columns === undefined ? E.right(O.none) : pipe(codec.decode(columns), E.map(O.some), orUnreadable(table))

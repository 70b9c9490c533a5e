import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { RowOf, RowQuery, Store, Table } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'

/** All rows of a store. */
export type Records = Readonly<{ [T in Table]: ReadonlyArray<RowOf<T>> }>

export const recordsOf = async (store: Store): Promise<Records> => {
  const all = <T extends Table>(table: T): Promise<ReadonlyArray<RowOf<T>>> =>
    succeed(store.listRows<T>({ table, after: '', limit: 10_000 }))
  return {
    applications: await all('applications'),
    users: await all('users'),
    sessions: await all('sessions'),
    keys: await all('keys'),
    revoked_tokens: await all('revoked_tokens'),
    one_time_tokens: await all('one_time_tokens'),
    factors: await all('factors'),
  }
}

/** A store with other rows of one table than were written. */
export const tampered = <T extends Table>(
  store: Store,
  table: T,
  alter: (rows: ReadonlyArray<RowOf<T>>) => ReadonlyArray<RowOf<T>>,
): Store => {
  const listRows = (query: RowQuery<Table>) => async () => {
    const rows = await store.listRows(query)()
    return isLeft(rows) || query.table !== table ? rows : right(alter(rows.right as ReadonlyArray<RowOf<T>>))
  }
  return { ...store, listRows: listRows as Store['listRows'] } // the compiler cannot follow the table through the union
}

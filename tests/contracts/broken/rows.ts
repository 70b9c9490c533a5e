import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type RowOf,
  type RowQuery,
  type Store,
  TABLES,
  type Table,
} from '../../../application/ports/store.ts'
import { aUser } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { answer, beforeCommit, caught, everyRow, hear, remembering, rowsIn, utf8Order } from './stores.ts'

type AnyRow = RowOf<Table>
type Rows = ReadonlyArray<AnyRow>
type Query = RowQuery<Table>

const isAfter = (after: string) => (row: AnyRow) => utf8Order(after, row.id) < 0
const page = ({ after, limit }: Query, rows: Rows): Rows => rows.filter(isAfter(after)).slice(0, limit)

/** Stores that list the wrong rows of a table. */
const ofRows = (table: Table): ReadonlyArray<Mutation<Mutate<Store>>> => {
  const tell = (alter: (rows: Rows) => Rows): Mutate<Store> =>
    answer('listRows', (rows, query) => (query.table === table ? alter(rows) : rows))
  const ask = (alter: (query: Query) => Partial<Query>): Mutate<Store> =>
    hear('listRows', (query) => [query.table === table ? { ...query, ...alter(query) } : query])
  /** Makes the response from all rows of the table. */
  const make =
    (of: (query: Query, rows: Rows) => Rows): Mutate<Store> =>
    (store) => {
      const every = () => everyRow(store, table) as ReturnType<Store['listRows']>
      const listRows = (query: Query) =>
        query.table === table ? TE.map((rows: Rows) => of(query, rows))(every()) : store.listRows(query)
      return { listRows: listRows as Store['listRows'] }
    }
  return [
    ...caught(`rows are listed whole and by id, whichever was written first: ${table}`, {
      [`lists ${table} from the last id to the first`]: tell((rows) => [...rows].reverse()),
      [`lists ${table} under another version`]: tell((rows) =>
        rows.map((row) => ({ ...row, version: row.version + 1 })),
      ),
    }),
    ...caught(`rows are listed from the one after an id on: ${table}`, {
      [`lists ${table} from the beginning always`]: ask(() => ({ after: '' })),
    }),
    ...caught(`no more rows are listed than asked for: ${table}`, {
      [`ignores the limit of ${table}`]: ask(() => ({ limit: 1_000 })),
    }),
    ...caught(`ids are ordered code point by code point: ${table}`, {
      [`orders ${table} by the units of UTF-16`]: make(({ after, limit }, rows) =>
        rows
          .filter(({ id }) => id > after)
          .sort((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)))
          .slice(0, limit),
      ),
    }),
    ...caught(`a row is listed as it was last written: ${table}`, {
      [`lists rows of ${table} as they were created`]: (store) => {
        const { commit, asCreated } = remembering(store, table)
        return { commit, ...tell((rows) => rows.map((row) => asCreated(row)))(store) }
      },
    }),
    ...caught(`a row of a refused change is not listed: ${table}`, {
      [`lists ${table} of refused changes`]: (store) => {
        const asked: Array<AnyRow> = []
        const commit = beforeCommit(store, (change) => void asked.push(...rowsIn(change, table)))
        const isNew = (rows: Rows) => (row: AnyRow) => !rows.some(({ id }) => id === row.id)
        return {
          ...commit,
          ...make((query, rows) => page(query, [...rows, ...asked.filter(isNew(rows))]))(store),
        }
      },
    }),
    ...caught(`what is listed once a commit has resolved holds its row: ${table}`, {
      [`lists ${table} as they were when it was last asked`]: (store) => {
        let before: Rows = []
        return make((query, rows) => {
          const seen = before
          before = rows
          return page(query, seen)
        })(store)
      },
    }),
    ...caught(`page after page visits every row once: ${table}`, {
      [`ends ${table} after a page or two`]: ask(({ after }) => ({
        after: utf8Order('id-4', after) < 0 ? '~' : after,
      })),
    }),
  ]
}

export const ROW_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...TABLES.flatMap(ofRows),
  ...caught('a new store lists no rows', {
    'lists rows when it is new': answer('listRows', (rows, { table }) =>
      rows.length === 0 && table === 'users' ? [aUser()] : rows,
    ),
  }),
]

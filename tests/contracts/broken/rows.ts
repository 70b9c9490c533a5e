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

/** How other systems compare texts. Each differs from the order by code points. */
const OTHER_ORDERS: Readonly<Record<string, (one: string, other: string) => number>> = {
  'by the units of UTF-16': (one, other) => (one < other ? -1 : Number(one > other)),
  'without regard to case': (one, other) => utf8Order(one.toLowerCase(), other.toLowerCase()),
  'as a dictionary does': (one, other) => one.localeCompare(other, 'en'),
  'by the numbers that they are': (one, other) =>
    Number.isNaN(Number(one) - Number(other)) ? utf8Order(one, other) : Number(one) - Number(other),
}

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
      [`looks for the id itself when it lists ${table}`]: make((query, rows) =>
        rows.slice(rows.findIndex(({ id }) => id === query.after) + 1).slice(0, query.limit),
      ),
    }),
    ...caught(`no more rows are listed than asked for: ${table}`, {
      [`ignores the limit of ${table}`]: ask(() => ({ limit: 1_000 })),
      [`takes a limit of 0 for no limit when it lists ${table}`]: ask(({ limit }) => ({
        limit: limit === 0 ? 1_000 : limit,
      })),
      [`keeps the limit of rows of ${table} in 32 bits`]: ask(({ limit }) => ({ limit: limit | 0 })),
      [`limits ${table} before it looks where to begin`]: make(({ after, limit }, rows) =>
        rows.slice(0, limit).filter(isAfter(after)),
      ),
    }),
    ...Object.entries(OTHER_ORDERS).flatMap(([how, compare]) =>
      caught(`ids are ordered code point by code point: ${table}`, {
        [`orders ${table} ${how}`]: make(({ after, limit }, rows) =>
          rows
            .filter(({ id }) => compare(id, after) > 0)
            .sort((one, other) => compare(one.id, other.id))
            .slice(0, limit),
        ),
      }),
    ),
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

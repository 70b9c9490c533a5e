import type { RowOf, RowQuery, Store, Table } from '../../../application/ports/store.ts'
import { aUser } from '../builders.ts'
import { altered, type Broken, broken } from './broken.ts'

const TABLES = [
  'applications',
  'users',
  'sessions',
  'keys',
  'revoked_tokens',
] as const satisfies ReadonlyArray<Table>

type AnyRow = RowOf<Table>

/** How others compare texts, each with a difference to comparing code points. */
const OTHER_ORDERS: Readonly<Record<string, (one: string, other: string) => number>> = {
  'by the units of UTF-16': (one, other) => (one < other ? -1 : Number(one > other)),
  'in whatever case': (one, other) => Buffer.compare(utf8(one.toLowerCase()), utf8(other.toLowerCase())),
  'as a dictionary does': (one, other) => one.localeCompare(other, 'en'),
  'with numbers for what they count': (one, other) =>
    Number.isNaN(Number(one) - Number(other))
      ? Buffer.compare(utf8(one), utf8(other))
      : Number(one) - Number(other),
}

const utf8 = (text: string): Buffer => Buffer.from(text)

const isBefore = (one: string, other: string): boolean => Buffer.compare(utf8(one), utf8(other)) < 0

/** Stores that list something else than the rows of a table. */
export const BROKEN_LISTINGS: ReadonlyArray<Broken> = [
  ...TABLES.flatMap((table) => [
    listing(
      `lists ${table} from the last id to the first`,
      `rows are listed whole and by id, whichever was written first: ${table}`,
      table,
      (rows) => [...rows].reverse(),
    ),
    listing(
      `lists ${table} under another version`,
      `rows are listed whole and by id, whichever was written first: ${table}`,
      table,
      (rows) => rows.map((row) => ({ ...row, version: row.version + 1 })),
    ),
    asking(
      `lists ${table} from the beginning, wherever it is to begin`,
      `rows are listed from the one after an id on: ${table}`,
      table,
      (query) => ({ ...query, after: '' }),
    ),
    broken(
      `looks for the id itself when it lists ${table}`,
      `rows are listed from the one after an id on: ${table}`,
      (store) => ({
        listRows: changing(store, table, (query, rows) => {
          const at = rows.findIndex(({ id }) => id === query.after)
          return rows.slice(at + 1).slice(0, query.limit)
        }),
      }),
    ),
    asking(
      `does not mind the limit of ${table}`,
      `no more rows are listed than asked for: ${table}`,
      table,
      (query) => ({ ...query, limit: 1_000 }),
    ),
    asking(
      `takes a limit of 0 for none when it lists ${table}`,
      `no more rows are listed than asked for: ${table}`,
      table,
      (query) => ({ ...query, limit: query.limit === 0 ? 1_000 : query.limit }),
    ),
    asking(
      `keeps the limit of ${table} in 32 bits`,
      `no more rows are listed than asked for: ${table}`,
      table,
      (query) => ({ ...query, limit: query.limit | 0 }),
    ),
    broken(
      `limits ${table} before it looks where to begin`,
      `no more rows are listed than asked for: ${table}`,
      (store) => ({
        listRows: changing(store, table, (query, rows) =>
          rows.slice(0, query.limit).filter(({ id }) => isBefore(query.after, id)),
        ),
      }),
    ),
    ...Object.entries(OTHER_ORDERS).map(([how, compare]) =>
      broken(`orders ${table} ${how}`, `ids are ordered code point by code point: ${table}`, (store) => ({
        listRows: changing(store, table, (query, rows) =>
          rows
            .filter(({ id }) => compare(id, query.after) > 0)
            .sort((one, other) => compare(one.id, other.id))
            .slice(0, query.limit),
        ),
      })),
    ),
    broken(
      `lists ${table} as they were first`,
      `a row is listed as it was last written: ${table}`,
      (store) => {
        const first = new Map<string, AnyRow>()
        return {
          commit: (change) => {
            for (const { row } of change.rows) if (row.version === 1) first.set(row.id, row)
            return store.commit(change)
          },
          listRows: changing(store, table, (query, rows) =>
            rows
              .filter(({ id }) => isBefore(query.after, id))
              .slice(0, query.limit)
              .map((row) => first.get(row.id) ?? row),
          ),
        }
      },
    ),
    broken(
      `lists ${table} of refused changes`,
      `a row of a refused change is not listed: ${table}`,
      (store) => {
        const asked: Array<AnyRow> = []
        return {
          commit: (change) => {
            asked.push(...change.rows.flatMap((row) => (row.table === table ? [row.row] : [])))
            return store.commit(change)
          },
          listRows: changing(store, table, (query, rows) =>
            [...rows, ...asked.filter(({ id }) => !rows.some((row) => row.id === id))]
              .filter(({ id }) => isBefore(query.after, id))
              .slice(0, query.limit),
          ),
        }
      },
    ),
    broken(
      `lists ${table} as they were when it was last asked`,
      `what is listed once a commit has resolved holds its row: ${table}`,
      (store) => {
        let before: ReadonlyArray<AnyRow> = []
        return {
          listRows: changing(store, table, (query, rows) => {
            const seen = before
            before = rows
            return seen.filter(({ id }) => isBefore(query.after, id)).slice(0, query.limit)
          }),
        }
      },
    ),
    asking(
      `ends ${table} after a page or two`,
      `page after page visits every row once: ${table}`,
      table,
      (query) => ({ ...query, after: isBefore('id-4', query.after) ? '~' : query.after }),
    ),
  ]),
  broken('lists rows when it is new', 'a new store lists no rows', (store) => ({
    listRows: changing(store, 'users', (_, rows) => (rows.length === 0 ? [aUser()] : rows)),
  })),
]

/** A store that makes something else of all rows of one table. */
const changing =
  (
    store: Store,
    table: Table,
    make: (query: RowQuery<Table>, rows: Array<AnyRow>) => ReadonlyArray<AnyRow>,
  ): Store['listRows'] =>
  (query) =>
    query.table === table
      ? altered(
          store.listRows({ ...query, after: '', limit: 1_000 }),
          // The rows are the table's own, which the compiler cannot know of a function for every table.
          (rows) => make(query, [...rows].sort(byId)) as unknown as typeof rows,
        )
      : store.listRows(query)

const byId = (one: AnyRow, other: AnyRow): number => Buffer.compare(utf8(one.id), utf8(other.id))

/** A store that lists the rows of one table otherwise. */
function listing(
  breaks: string,
  caughtBy: string,
  table: Table,
  tell: (rows: ReadonlyArray<AnyRow>) => ReadonlyArray<AnyRow>,
): Broken {
  return broken(breaks, caughtBy, (store) => ({
    listRows: (query) =>
      altered(store.listRows(query), (rows) =>
        query.table === table ? (tell(rows) as unknown as typeof rows) : rows,
      ),
  }))
}

/** A store that hears another query for one table. */
function asking(
  breaks: string,
  caughtBy: string,
  table: Table,
  hear: <T extends Table>(query: RowQuery<T>) => RowQuery<T>,
): Broken {
  return broken(breaks, caughtBy, (store) => ({
    listRows: (query) => store.listRows(query.table === table ? hear(query) : query),
  }))
}

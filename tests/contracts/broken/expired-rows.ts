import { isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { fromNullable, isSome, none, type Option } from 'fp-ts/lib/Option.js'
import { memoryStore } from '../../../adapters/stores/memory/store.ts'
import {
  type Change,
  EXPIRING_TABLES,
  type ExpiredQuery,
  type RowOf,
  type Store,
} from '../../../application/ports/store.ts'
import { change, issuedToken } from '../../testkit/builders.ts'
import type { Mutation } from './harness.ts'
import { eager, type Mutate, turn, UNAVAILABLE } from './mutations.ts'
import { answer, beforeCommit, caught, everyRow, hear, underVersion, utf8Order } from './stores.ts'

type ExpiringTable = ExpiredQuery['table']
type ExpiringRow = RowOf<ExpiringTable>

const asking = (alter: (query: ExpiredQuery) => Partial<ExpiredQuery>): Mutate<Store> =>
  hear('deleteExpired', (query) => [{ ...query, ...alter(query) }])

/** Deletes exactly these rows, one after the other. Returns how many it has deleted. */
const deleteOnly = async (
  store: Store,
  table: ExpiringTable,
  ids: ReadonlyArray<string>,
): Promise<number> => {
  let deleted = 0
  for (const id of ids) {
    const rows = await everyRow(store, table)()
    if (!isRight(rows)) continue
    const before = rows.right.map((row: ExpiringRow) => row.id).filter((one) => utf8Order(one, id) < 0)
    const query = { table, after: before.at(-1) ?? '', limit: 1, beforeSeconds: Number.MAX_SAFE_INTEGER }
    const outcome = await store.deleteExpired(query)()
    if (isRight(outcome)) deleted += outcome.right.deleted
  }
  return deleted
}

type Choice = Readonly<{ gone: ReadonlyArray<string>; last: Option<string> }>

/** Deletes the rows that `choose` names. */
const choosing =
  (choose: (query: ExpiredQuery, rows: ReadonlyArray<ExpiringRow>) => Choice): Mutate<Store> =>
  (store) => ({
    deleteExpired: (query) => async () => {
      const rows = await everyRow(store, query.table)()
      if (isLeft(rows)) return rows
      const { gone, last } = choose(query, rows.right)
      return { ...rows, right: { deleted: await deleteOnly(store, query.table, gone), last } }
    },
  })

const lastId = (ids: ReadonlyArray<string>): Option<string> => fromNullable(ids.at(-1))
const idsOf = (rows: ReadonlyArray<ExpiringRow>): ReadonlyArray<string> => rows.map(({ id }) => id)
const isExpired =
  ({ beforeSeconds }: ExpiredQuery) =>
  ({ expiresAtSeconds }: ExpiringRow): boolean =>
    expiresAtSeconds < beforeSeconds
const first = <A>(limit: number, list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.slice(0, Math.max(0, limit))
const pageOf = ({ after, limit }: ExpiredQuery, rows: ReadonlyArray<ExpiringRow>) =>
  first(
    limit,
    rows.filter(({ id }) => utf8Order(id, after) > 0),
  )

/** Examines rows in another order. */
const ordering = (compare: (one: string, other: string) => number): Mutate<Store> =>
  choosing((query, rows) => {
    const page = first(
      query.limit,
      rows.filter(({ id }) => compare(id, query.after) > 0).sort((one, other) => compare(one.id, other.id)),
    )
    return { gone: idsOf(page.filter(isExpired(query))), last: lastId(idsOf(page)) }
  })

/** Does more after each deletion of rows. */
const afterwards =
  (more: (store: Store, query: ExpiredQuery) => Promise<unknown>): Mutate<Store> =>
  (store) => ({
    deleteExpired: (query) => async () => {
      const outcome = await store.deleteExpired(query)()
      if (isRight(outcome) && outcome.right.deleted > 0) await more(store, query)
      return outcome
    },
  })

/** Commits some changes differently once a row of this id is deleted. */
const onceDeleted =
  (table: ExpiringTable, commit: (store: Store, change: Change) => Store['commit']): Mutate<Store> =>
  (store) => {
    let isDeleted = false
    return {
      ...afterwards(async (_, query) => {
        isDeleted ||= query.table === table
      })(store),
      commit: (written) =>
        isDeleted && written.rows.some((row) => row.table === table)
          ? commit(store, written)(written)
          : store.commit(written),
    }
  }

/** Breaks deletions of one table. */
const only =
  (table: ExpiringTable, mutate: Mutate<Store>): Mutate<Store> =>
  (store) => {
    const broken = { ...store, ...mutate(store) }
    return {
      ...broken,
      deleteExpired: (query) => (query.table === table ? broken : store).deleteExpired(query),
    }
  }

const ofTable = (table: ExpiringTable): ReadonlyArray<Mutation<Mutate<Store>>> => {
  const broken = (name: string, rows: Readonly<Record<string, Mutate<Store>>>) =>
    caught(
      `${name}: ${table}`,
      Object.fromEntries(
        Object.entries(rows).map(([how, mutate]) => [`${how} (${table})`, only(table, mutate)]),
      ),
    )
  return [
    ...broken('rows that expired before a second are deleted, and no others', {
      'deletes a row in the second of its expiry': asking(({ beforeSeconds }) => ({
        beforeSeconds: beforeSeconds + 1,
      })),
      'keeps a row for one second more': asking(({ beforeSeconds }) => ({
        beforeSeconds: beforeSeconds - 1,
      })),
      'keeps the second in 32 bits': asking(({ beforeSeconds }) => ({ beforeSeconds: beforeSeconds | 0 })),
      'deletes nothing': asking(() => ({ beforeSeconds: 0 })),
      'names the last row that it deleted': choosing((query, rows) => {
        const gone = idsOf(pageOf(query, rows).filter(isExpired(query)))
        return { gone, last: lastId(gone) }
      }),
    }),
    ...broken('only the first rows by id are examined, expired or not', {
      'examines every row': asking(() => ({ limit: 1_000 })),
      'examines rows until it has deleted enough': choosing((query, rows) => {
        const gone = first(query.limit, idsOf(rows.filter(isExpired(query))))
        return { gone, last: lastId(gone) }
      }),
      'takes a limit of 0 for no limit': asking(({ limit }) => ({ limit: limit === 0 ? 1_000 : limit })),
      'keeps the limit in 32 bits': asking(({ limit }) => ({ limit: limit | 0 })),
      'counts the rows that it examined': answer('deleteExpired', ({ last }, query) => ({
        deleted: Math.max(0, Math.min(query.limit, 5)),
        last,
      })),
      'names no last row if it deleted none': answer('deleteExpired', (page) =>
        page.deleted === 0 ? { ...page, last: none } : page,
      ),
    }),
    ...broken('rows are examined from the one after an id on', {
      'examines from the beginning always': asking(() => ({ after: '' })),
      'looks for the row itself': choosing((query, rows) => {
        const page = first(query.limit, rows.slice(rows.findIndex(({ id }) => id === query.after) + 1))
        return { gone: idsOf(page.filter(isExpired(query))), last: lastId(idsOf(page)) }
      }),
      'repeats the id if no row follows': answer('deleteExpired', (page, { after }) => ({
        ...page,
        last: isSome(page.last) ? page.last : fromNullable(after || undefined),
      })),
    }),
    ...broken('rows are examined code point by code point', {
      'examines rows by the units of UTF-16': ordering((one, other) =>
        one < other ? -1 : Number(one > other),
      ),
      'examines rows without regard to case': ordering((one, other) =>
        utf8Order(one.toLowerCase(), other.toLowerCase()),
      ),
    }),
    ...broken('page after page deletes every expired row once', {
      'names the row after the last one': choosing((query, rows) => {
        const page = pageOf(query, rows)
        const following = pageOf({ ...query, limit: query.limit + 1 }, rows)
        return { gone: idsOf(page.filter(isExpired(query))), last: lastId(idsOf(following)) }
      }),
    }),
    ...broken('a deletion touches neither other rows nor the log', {
      'deletes of every table': afterwards(async (store, query) => {
        for (const other of EXPIRING_TABLES)
          await store.deleteExpired({ ...query, table: other, beforeSeconds: Number.MAX_SAFE_INTEGER })()
      }),
      'logs a deletion': afterwards((store) => store.commit({ ...change(issuedToken()), rows: [] })()),
      'counts the version of the other rows up': (store) => {
        let isDeleted = false
        return {
          ...afterwards(async () => {
            isDeleted = true
          })(store),
          ...answer('listRows', (rows) =>
            isDeleted ? rows.map((row) => ({ ...row, version: row.version + 1 })) : rows,
          )(store),
        }
      },
    }),
    ...broken('a deleted row can be created again, and not be changed', {
      'never creates a deleted row again': onceDeleted(
        table,
        () => () => async () => left({ _tag: 'Conflict' }),
      ),
      'creates a deleted row when it is changed': onceDeleted(table, (store) => (written) => async () => {
        const rows = await everyRow(store, table)()
        const isGone = isRight(rows) && rows.right.length === 0
        return store.commit(
          isGone ? { ...written, rows: written.rows.map((row) => underVersion(1, row)) } : written,
        )()
      }),
    }),
    ...broken('a deletion that is asked for but not run deletes nothing', {
      'deletes before the task is run': eager('deleteExpired'),
    }),
    ...broken('of deletions at once each row counts once', {
      'counts the rows that were there before it waited': (store) => ({
        deleteExpired: (query) => async () => {
          const rows = await everyRow(store, query.table)()
          await turn()
          const outcome = await store.deleteExpired(query)()
          if (isLeft(rows) || isLeft(outcome)) return outcome
          return { ...outcome, right: { ...outcome.right, deleted: rows.right.length } }
        },
      }),
    }),
    ...broken('a read shows all rows of a page or none while they are deleted', {
      'deletes one row after the other': (store) => ({
        deleteExpired: (query) => async () => {
          const rows = await everyRow(store, query.table)()
          if (isLeft(rows)) return rows
          const page = pageOf(query, rows.right)
          let deleted = 0
          for (const { id } of page.filter(isExpired(query))) {
            deleted += await deleteOnly(store, query.table, [id])
            await turn()
          }
          return { ...rows, right: { deleted, last: lastId(idsOf(page)) } }
        },
      }),
    }),
    ...broken('a deletion and a change of the same row do not harm each other', {
      'refuses changes while it deletes': (store) => {
        let isDeleting = false
        return {
          commit: (written) => async () => {
            await turn()
            return isDeleting ? left(UNAVAILABLE) : store.commit(written)()
          },
          deleteExpired: (query) => async () => {
            isDeleting = true
            await turn()
            await turn()
            const outcome = await store.deleteExpired(query)()
            isDeleting = false
            return outcome
          },
        }
      },
      'logs a change of a row that it has deleted': (store) => ({
        commit: (written) => async () => {
          await turn()
          const outcome = await store.commit(written)()
          if (isLeft(outcome) && outcome.left._tag === 'Conflict')
            await store.commit({ ...written, rows: [] })()
          return outcome
        },
      }),
    }),
  ]
}

/** Stores that delete the wrong rows. */
export const EXPIRED_ROW_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...EXPIRING_TABLES.flatMap(ofTable),
  ...caught('a deleted row is found by no look-up', {
    'finds a deleted session': keepsFinding('findSession'),
    'finds a deleted one-time token': keepsFinding('findOneTimeToken'),
    'finds a deleted revocation': keepsFinding('findTokenHolder'),
    'lists a deleted session': keepsFinding('listSessions'),
  }),
]

/** Answers as before the deletion. */
function keepsFinding(
  method: 'findSession' | 'findOneTimeToken' | 'findTokenHolder' | 'listSessions',
): Mutate<Store> {
  type Ask = (...asked: ReadonlyArray<unknown>) => () => Promise<unknown>
  return (store) => {
    const kept: Array<Change> = []
    const commit = beforeCommit(store, (written) => void kept.push(written))
    const past = memoryStore()
    const ask =
      (...asked: ReadonlyArray<unknown>) =>
      async () => {
        for (const written of kept.splice(0)) await past.commit(written)()
        return (past[method] as unknown as Ask)(...asked)()
      }
    return { ...commit, [method]: ask }
  }
}

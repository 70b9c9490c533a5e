import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
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
import { eager, type Mutate, turn } from './mutations.ts'
import { beforeCommit, caught, everyRow, hear, utf8Order, without } from './stores.ts'

type ExpiringTable = ExpiredQuery['table']
type ExpiringRow = RowOf<ExpiringTable>

const asking = (alter: (query: ExpiredQuery) => Partial<ExpiredQuery>): Mutate<Store> =>
  hear('deleteExpired', (query) => [{ ...query, ...alter(query) }])

/** Deletes the rows that `choose` names: it hides them from lists. */
const choosing =
  (choose: (query: ExpiredQuery, rows: ReadonlyArray<ExpiringRow>) => ReadonlyArray<string>): Mutate<Store> =>
  (store) => {
    const gone = new Set<string>()
    return {
      ...without('listRows', ({ id }) => gone.has(id))(store),
      deleteExpired: (query) => async () => {
        const rows = await everyRow(store, query.table)()
        if (isLeft(rows)) return rows
        const chosen = choose(
          query,
          rows.right.filter(({ id }) => !gone.has(id)),
        )
        for (const id of chosen) gone.add(id)
        return right(chosen.length)
      },
    }
  }

const idsOf = (rows: ReadonlyArray<ExpiringRow>): ReadonlyArray<string> => rows.map(({ id }) => id)
const isExpired =
  ({ beforeSeconds }: ExpiredQuery) =>
  ({ expiresAtSeconds }: ExpiringRow): boolean =>
    expiresAtSeconds < beforeSeconds
const first = <A>(limit: number, list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.slice(0, Math.max(0, limit))

/** Deletes expired rows in another order. */
const ordering = (compare: (one: ExpiringRow, other: ExpiringRow) => number): Mutate<Store> =>
  choosing((query, rows) => idsOf(first(query.limit, rows.filter(isExpired(query)).sort(compare))))

/** Deletes in the order of the expiry, then in that of the ids. */
const orderingIds = (compare: (one: string, other: string) => number): Mutate<Store> =>
  ordering((one, other) => one.expiresAtSeconds - other.expiresAtSeconds || compare(one.id, other.id))

/** Does more after each deletion of rows. */
const afterwards =
  (more: (store: Store, query: ExpiredQuery) => Promise<unknown>): Mutate<Store> =>
  (store) => ({
    deleteExpired: (query) => async () => {
      const outcome = await store.deleteExpired(query)()
      if (isRight(outcome) && outcome.right > 0) await more(store, query)
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
    }),
    ...broken('at most as many rows as the limit are deleted, those that expired first', {
      'deletes every expired row': asking(() => ({ limit: 1_000 })),
      'deletes the lowest ids first': ordering((one, other) => utf8Order(one.id, other.id)),
    }),
    ...broken('of rows that expired in the same second, the lowest ids go first', {
      'deletes rows of one second by the units of UTF-16': orderingIds((one, other) =>
        one < other ? -1 : Number(one > other),
      ),
    }),
    ...broken('many rows that have not expired do not hide those behind them', {
      'looks for expired rows among the lowest ids only': choosing((query, rows) =>
        idsOf(first(query.limit, rows).filter(isExpired(query))),
      ),
    }),
    ...broken('a deletion touches neither other rows nor the log', {
      'deletes of every table': afterwards(async (store, query) => {
        for (const other of EXPIRING_TABLES)
          await store.deleteExpired({ ...query, table: other, beforeSeconds: Number.MAX_SAFE_INTEGER })()
      }),
      'logs a deletion': afterwards((store) => store.commit({ ...change(issuedToken()), rows: [] })()),
    }),
    ...broken('a deleted row can be created again, and not be changed', {
      'never creates a deleted row again': onceDeleted(
        table,
        () => () => async () => left({ _tag: 'Conflict' }),
      ),
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
          return right(rows.right.length)
        },
      }),
    }),
    ...broken('a read shows all rows of a batch or none while they are deleted', {
      'deletes one row after the other': (store) => ({
        deleteExpired: (query) => async () => {
          for (let deleted = 0; deleted < query.limit; deleted += 1) {
            const outcome = await store.deleteExpired({ ...query, limit: 1 })()
            if (isLeft(outcome)) return outcome
            if (outcome.right === 0) return right(deleted)
            await turn()
          }
          return right(query.limit)
        },
      }),
    }),
    ...broken('a deletion and a change of the same row do not harm each other', {
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

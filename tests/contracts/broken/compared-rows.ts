import { isRight, left } from 'fp-ts/lib/Either.js'
import { type Change, type ComparedRow, type Store, TABLES } from '../../../application/ports/store.ts'
import { issuedToken, change as made } from '../../testkit/builders.ts'
import { caughtBy, type Mutation } from './harness.ts'
import { type Mutate, type MutateHandles, oneAfterTheOther, turn } from './mutations.ts'
import { afterCommit, caught, committing, refusing, underVersion } from './stores.ts'

const MISSING = 'a change whose compared row is missing conflicts and writes nothing'
const OTHER = 'a change whose compared row has another version conflicts and writes nothing'
const AS_READ = 'a change whose compared row is as read is written, and the row stays'
const ELSEWHERE =
  'a change whose compared row was written through another handle conflicts and writes nothing'
const BEFORE = 'a compared row is compared with the state before the change'
const SKEW = /^of two changes at once that compare what the other writes/
const SHARED_SKEW = /^of two changes at once through several handles that compare/

const withCompared = (change: Change, isKept: (row: ComparedRow, index: number) => boolean): Change => ({
  ...change,
  compared: change.compared.filter(isKept),
})
const withoutCompared = (change: Change): Change => ({ ...change, compared: [] })

/** The versions that a store has written, by table and id. */
const versionsOf = (store: Store) => {
  const versions = new Map<string, number>()
  const placeOf = (table: string, id: string): string => `${table}/${id}`
  return {
    ...afterCommit(store, ({ rows }, isWritten) => {
      if (!isWritten) return
      for (const { table, row } of rows) versions.set(placeOf(table, row.id), row.version)
    }),
    versionOf: ({ table, id }: Omit<ComparedRow, 'version'>): number => versions.get(placeOf(table, id)) ?? 0,
  }
}

const isStale =
  ({ versionOf }: Pick<ReturnType<typeof versionsOf>, 'versionOf'>) =>
  (row: ComparedRow): boolean =>
    versionOf(row) !== row.version

/** Compares a turn before it writes. */
const looksEarly = (versions: ReturnType<typeof versionsOf>): Pick<Store, 'commit'> =>
  refusing({ commit: (change) => versions.commit(withoutCompared(change)) }, async ({ compared }) => {
    if (compared.some(isStale(versions))) return 'Conflict'
    await turn()
    return false
  })

/** Lets no two changes at once compare one row. */
const onlyOneAtOnce = (store: Store): Pick<Store, 'commit'> => {
  const comparing = new Set<string>()
  return {
    commit: (change) => async () => {
      const ids = change.compared.map(({ id }) => id)
      if (ids.some((id) => comparing.has(id))) return left({ _tag: 'Conflict' })
      for (const id of ids) comparing.add(id)
      await turn()
      const outcome = await store.commit(change)()
      for (const id of ids) comparing.delete(id)
      return outcome
    },
  }
}

/** Stores that compare no rows, others, or too late. */
export const COMPARED_ROW_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...TABLES.flatMap((table) => [
    ...caught([`${OTHER}: ${table}`, `${MISSING}: ${table}`], {
      [`compares no rows of ${table}`]: committing((change) =>
        withCompared(change, (row) => row.table !== table),
      ),
    }),
    ...caught(`${AS_READ}: ${table}`, {
      [`writes compared rows of ${table}`]: (store) =>
        afterCommit(store, async ({ compared }, isWritten) => {
          const [first] = compared
          if (!isWritten || first?.table !== table) return
          const rows = await store.listRows({ table, after: '', limit: 9 })()
          const row = isRight(rows) ? rows.right.find(({ id }) => id === first.id) : undefined
          if (row === undefined) return
          const again = underVersion(first.version + 1, { table, row } as Change['rows'][number])
          await store.commit({ ...made(issuedToken()), rows: [again] })()
        }),
    }),
    ...caught(`a comparison beside a write of its row has one order or the other: ${table}`, {
      [`compares rows of ${table} a turn before it writes`]: (store) => {
        const versions = versionsOf(store)
        const early = looksEarly(versions)
        const isOfTable = ({ compared }: Change) => compared.some((row) => row.table === table)
        return { commit: (change) => (isOfTable(change) ? early : versions).commit(change) }
      },
    }),
  ]),
  ...caught('each compared row counts, whichever comes first', {
    'compares only the first row': committing((change) => withCompared(change, (_, index) => index === 0)),
  }),
  ...caught([BEFORE, 'a row that the change itself creates is missing when it is compared'], {
    'compares with the state after the change': (store) => {
      const versions = versionsOf(store)
      const writtenBy = ({ rows }: Change, { table, id }: ComparedRow) =>
        rows.findLast((written) => written.table === table && written.row.id === id)?.row.version
      return refusing({ commit: (change) => versions.commit(withoutCompared(change)) }, (change) =>
        change.compared.some((row) => (writtenBy(change, row) ?? versions.versionOf(row)) !== row.version)
          ? 'Conflict'
          : false,
      )
    },
  }),
  ...caught('a change committed again succeeds, although its compared row has changed since', {
    'compares before it looks whether it knows the change': (store) => {
      const versions = versionsOf(store)
      return refusing(versions, ({ compared }) => compared.some(isStale(versions)) && 'Conflict')
    },
  }),
  ...caught('twenty changes that compare one row at once are all written', {
    'refuses a row that another change is comparing': onlyOneAtOnce,
  }),
  ...caught([SKEW], {
    'compares all rows a turn before it writes': (store) => looksEarly(versionsOf(store)),
  }),
]

/** Stores whose handles compare with what they know themselves. */
export const SHARED_COMPARED_ROW_MUTATIONS: ReadonlyArray<Mutation<MutateHandles<Store>>> = [
  ...TABLES.flatMap((table) =>
    caughtBy<MutateHandles<Store>>(`${ELSEWHERE}: ${table}`, {
      [`compares rows of ${table} with what the handle has written`]: () => (handle) => {
        const versions = versionsOf(handle)
        const isOfTable = (row: ComparedRow) => row.table === table
        return refusing(
          { commit: (change) => versions.commit(withCompared(change, (row) => !isOfTable(row))) },
          ({ compared }) => compared.filter(isOfTable).some(isStale(versions)) && 'Conflict',
        )
      },
    }),
  ),
  ...caughtBy<MutateHandles<Store>>(
    [/^a comparison beside a write of its row through another handle/, SHARED_SKEW],
    {
      'compares under a lock of the handle': (core) => {
        const early = looksEarly(versionsOf(core))
        return () => {
          const lock = oneAfterTheOther()
          return { commit: (change) => () => lock(early.commit(change)) }
        }
      },
    },
  ),
  ...caughtBy<MutateHandles<Store>>(
    'twenty changes through several handles that compare one row at once are all written',
    {
      'refuses a row that another handle is comparing': (core) => {
        const one = onlyOneAtOnce(core)
        return () => one
      },
    },
  ),
]

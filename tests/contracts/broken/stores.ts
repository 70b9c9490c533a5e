import { isRight, left, type Right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Change, LogEntry, Row, RowOf, Store, Table } from '../../../application/ports/store.ts'
import { newId } from '../../testkit/builders.ts'
import { caughtBy } from './harness.ts'
import { type Answer, type Mutate, mutationsOf, turn } from './mutations.ts'

export const caught = caughtBy<Mutate<Store>>
export const { hear, answer } = mutationsOf<Store>()

type Found<M extends keyof Store> = Answer<Store[M]> extends O.Option<infer A> ? A : never
type Listed<M extends keyof Store> = Answer<Store[M]> extends ReadonlyArray<infer A> ? A : never

/** Alters the result of a lookup. */
export const found = <M extends keyof Store>(method: M, alter: (one: Found<M>) => Found<M>): Mutate<Store> =>
  answer(method, O.map(alter) as never)

/** Alters each element of a list. */
export const each = <M extends keyof Store>(method: M, alter: (one: Listed<M>) => Listed<M>): Mutate<Store> =>
  answer(method, ((list: ReadonlyArray<Listed<M>>) => list.map((one) => alter(one))) as never)

/** Removes elements of a list. */
export const without = <M extends keyof Store>(
  method: M,
  isOut: (one: Listed<M>) => boolean,
): Mutate<Store> =>
  answer(method, ((list: ReadonlyArray<Listed<M>>) => list.filter((one) => !isOut(one))) as never)

/** Alters each entry of the log, to a shape that its type may forbid. */
export const entries = (alter: (entry: LogEntry) => object): Mutate<Store> =>
  each('readEvents', (entry) => alter(entry) as LogEntry)

type Spoil = <Entity extends object>(entity: Entity) => Entity

/** One row for each field of such a record, with another value of the same type. */
export const spoiling = (
  record: object,
  describe: (field: string) => string,
  mutate: (spoil: Spoil) => Mutate<Store>,
): Readonly<Record<string, Mutate<Store>>> =>
  Object.fromEntries(
    Object.keys(record).map((field) => [
      describe(field),
      mutate((entity) => ({ ...entity, [field]: another((entity as Record<string, unknown>)[field]) })),
    ]),
  )

const another = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length === 0 ? ['another'] : value.slice(1)
  return typeof value === 'object' ? O.none : `${value}?`
}

type Commit = Pick<Store, 'commit'>

/** Passes each change to `note` before its commit. */
export const beforeCommit = (store: Store, note: (change: Change) => void): Commit => ({
  commit: (change) => async () => {
    note(change)
    return store.commit(change)()
  },
})

/** Passes each change to `note` after its commit, with the outcome. */
export const afterCommit = (
  { commit }: Commit,
  note: (change: Change, isWritten: boolean) => unknown,
): Commit => ({
  commit: (change) => async () => {
    const outcome = await commit(change)()
    await note(change, isRight(outcome))
    return outcome
  },
})

type Refusal = 'Conflict' | 'EmailTaken' | undefined | false

/** Refuses some changes before it commits the others. */
export const refusing = (
  { commit }: Commit,
  refusalOf: (change: Change) => Refusal | Promise<Refusal>,
): Commit => ({
  commit: (change) => async () => {
    const judged = refusalOf(change)
    const refusal = judged instanceof Promise ? await judged : judged // an additional turn would alter other defects
    return refusal ? left({ _tag: refusal }) : commit(change)()
  },
})

export const committing = (alter: (change: Change) => Change): Mutate<Store> =>
  hear('commit', (change) => [alter(change)])

/** Commits nothing for some changes, and reports success. */
export const ignoring = ({ commit }: Commit, isKnown: (change: Change) => boolean): Commit => ({
  commit: (change) => async () => (isKnown(change) ? DONE : commit(change)()),
})

export const DONE: Right<void> = { _tag: 'Right', right: undefined }

/** Responds at once and commits later. */
export const answersEarly = (store: Store): Commit => ({
  commit: (change) => async () => {
    setImmediate(store.commit(change))
    return DONE
  },
})

/** The rows of one table in a change. */
export const rowsIn = <T extends Table>({ rows }: Change, table: T): Array<RowOf<T>> =>
  rows.flatMap((written) => (written.table === table ? [written.row as RowOf<T>] : []))

/** The store, and each row of a table as it was created. */
export const remembering = <T extends Table>(store: Store, table: T) => {
  const created = new Map<string, RowOf<T>>()
  const commit = beforeCommit(store, (change) => {
    for (const row of rowsIn(change, table)) if (row.version === 1) created.set(row.id, row)
  })
  return {
    ...commit,
    asCreated: <R extends RowOf<T>>(row: R): R => (created.get(row.id) as R | undefined) ?? row,
  }
}

/** The store, and whether the row of an id was written more than a turn ago. */
export const learningLate = (store: Store) => {
  const known = new Set<string>()
  const commit = afterCommit(store, ({ rows }) => {
    setImmediate(() => {
      for (const { row } of rows) known.add(row.id)
    })
  })
  return { ...commit, isKnown: (id: string) => known.has(id) }
}

/** A store and its versions. `force` commits some rows over any version. */
export const watched = (store: Store) => {
  const versions = new Map<string, number>()
  const place = ({ table, row }: Row): string => `${table}/${row.id}`
  const storedVersion = (row: Row): number => versions.get(place(row)) ?? 0
  const { commit } = afterCommit(store, ({ rows }, isWritten) => {
    if (isWritten)
      for (const row of rows) versions.set(place(row), Math.max(row.row.version, storedVersion(row)))
  })
  const force = (change: Change, which: (row: Row) => boolean = () => true): ReturnType<Store['commit']> =>
    commit({
      ...change,
      rows: change.rows.map((row) => (which(row) ? underVersion(storedVersion(row) + 1, row) : row)),
    })
  const isStale = (row: Row): boolean => row.row.version !== storedVersion(row) + 1
  return { commit, force, storedVersion, isStale }
}

export const underVersion = (version: number, row: Row): Row =>
  ({ ...row, row: { ...row.row, version } }) as Row

/** Writes the rows of a table over any version, a turn after it has read their versions. */
export const looksEarlyAtVersions = (
  { force, isStale }: ReturnType<typeof watched>,
  table: Table,
): Commit => {
  const isOfTable = (row: Row): boolean => row.table === table
  return refusing({ commit: (change) => force(change, isOfTable) }, async ({ rows }) => {
    if (rows.some((row) => isOfTable(row) && isStale(row))) return 'Conflict'
    await turn()
    return false
  })
}

/** The same change under new ids. */
export const underNewIds = (change: Change): Change => {
  const [first, ...others] = change.events
  const id = newId()
  return { ...change, id, events: [{ ...first, id }, ...others.map((entry) => ({ ...entry, id: newId() }))] }
}

/** The change without some of its events. The first one stays. */
export const withoutEvents = (change: Change, isOut: (id: string) => boolean): Change => {
  const [first, ...others] = change.events
  return { ...change, events: [first, ...others.filter(({ id }) => !isOut(id))] }
}

/** Reads a session twice, and combines a part of the later facts with the earlier ones. */
export const atTwoMoments =
  (part: 'user' | 'application'): Mutate<Store> =>
  ({ findSession }) => ({
    findSession: (id) => async () => {
      const early = await findSession(id)()
      await turn()
      const late = await findSession(id)()
      if (!isRight(early) || !isRight(late) || O.isNone(early.right) || O.isNone(late.right)) return early
      const { [part]: later } = late.right.value
      return { ...early, right: O.some({ ...early.right.value, [part]: later }) }
    },
  })

export const utf8Order = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Every row of a table. */
export const everyRow = <T extends Table>(store: Store, table: T) =>
  store.listRows({ table, after: '', limit: 1_000 })

import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Change, Row, Store } from '../../../application/ports/store.ts'
import { newId } from '../builders.ts'
import type { BrokenOne } from './a-contract.ts'

/** A store that breaks one promise, and the cases of the contract that are there to notice. */
export type Broken = BrokenOne<() => Store>

/** The memory store with some of its methods replaced. */
export const broken = (
  breaks: string,
  caughtBy: string | ReadonlyArray<string>,
  methods: (store: Store) => Partial<Store>,
): Broken => ({
  breaks,
  caughtBy: typeof caughtBy === 'string' ? [caughtBy] : caughtBy,
  open: () => {
    const store = memoryStore()
    return { ...store, ...methods(store) }
  },
})

/** A store together with the versions it holds, kept by somebody who looks over its shoulder. */
export const watched = (store: Store) => {
  const versions = new Map<string, number>()
  const place = ({ table, row }: Row): string => `${table}/${row.id}`
  const storedVersion = (row: Row): number => versions.get(place(row)) ?? 0

  const commit: Store['commit'] = (change) => async () => {
    const outcome = await store.commit(change)()
    if (outcome._tag === 'Right') {
      for (const row of change.rows) versions.set(place(row), Math.max(row.row.version, storedVersion(row)))
    }
    return outcome
  }

  /** Commits, and the rows that `which` names over whatever is there. */
  const force = (change: Change, which: (row: Row) => boolean): ReturnType<Store['commit']> =>
    commit({
      ...change,
      rows: change.rows.map((row) => (which(row) ? underVersion(storedVersion(row) + 1, row) : row)),
    })

  return { commit, force, storedVersion }
}

const underVersion = (version: number, row: Row): Row => ({ ...row, row: { ...row.row, version } }) as Row

/** A turn of the event loop, for others to come in between. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What the task comes to, passed through `alter` when it went well. */
export const altered =
  <E, A>(task: TaskEither<E, A>, alter: (value: A) => A): TaskEither<E, A> =>
  async () => {
    const outcome = await task()
    return outcome._tag === 'Right' ? { ...outcome, right: alter(outcome.right) } : outcome
  }

/** The same change, as if it had happened another time. */
export const underNewIds = (change: Change): Change => {
  const [first, ...others] = change.events
  const id = newId()
  return { ...change, id, events: [{ ...first, id }, ...others.map((entry) => ({ ...entry, id: newId() }))] }
}

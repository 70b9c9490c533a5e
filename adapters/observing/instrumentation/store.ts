import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type LogTree, treeOf } from '../../../application/ports/log-tree.ts'
import {
  type Change,
  type Conflict,
  type EmailTaken,
  STORE_METHODS,
  type Store,
  type StoreUnavailable,
} from '../../../application/ports/store.ts'

/** Observes the calls of a store. Each function returns a task that runs the given one, with the same outcome. */
export type StoreObserver = Readonly<{
  commit?: (change: Change, task: Commit) => Commit
  /** Every other call that can fail. */
  call?: <A>(method: StoreMethod, task: TaskEither<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>
}>

export type Commit = TaskEither<Conflict | EmailTaken | StoreUnavailable, void>

/** The methods of the port that `call` observes. */
export type StoreMethod = Exclude<keyof Store, 'commit' | 'close'>

/** The same store, with its calls observed. A later observer runs around an earlier one. */
export const observedStore = (
  store: Store & Partial<LogTree>,
  observers: ReadonlyArray<StoreObserver>,
): Store => {
  const commits = observers.flatMap(({ commit }) => commit ?? [])
  const calls = observers.flatMap(({ call }) => call ?? [])
  if (commits.length + calls.length === 0) return store
  const [firstCommit = unobserved, ...otherCommits] = commits
  const commit = otherCommits.reduce(
    (inner, outer) => (change, task) => outer(change, inner(change, task)),
    firstCommit,
  )
  const [firstCall = unobserved, ...otherCalls] = calls
  const call = otherCalls.reduce(
    (inner, outer) => (method, task) => outer(method, inner(method, task)),
    firstCall,
  )
  const observed = CALLS.map((method) => {
    const called = (...given: ReadonlyArray<never>) => call(method, (store[method] as Method)(...given))
    return [method, called] as const
  })
  return {
    commit: (change) => commit(change, store.commit(change)),
    ...(Object.fromEntries(observed) as Pick<Store, StoreMethod>),
    ...treeOf(store), // no request waits for them
    close: () => store.close(),
  }
}

const CALLS = STORE_METHODS.filter((method) => method !== 'commit')

type Method = (...given: ReadonlyArray<never>) => TaskEither<StoreUnavailable, unknown>

const unobserved = <Task>(_call: unknown, task: Task): Task => task

import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type LogTree, treeOf } from '../../../application/ports/log-tree.ts'
import type {
  Change,
  Conflict,
  EmailTaken,
  Store,
  StoreUnavailable,
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
  return {
    commit: (change) => commit(change, store.commit(change)),
    findApplication: (id) => call('findApplication', store.findApplication(id)),
    findTokenHolder: (applicationId, tokenId) =>
      call('findTokenHolder', store.findTokenHolder(applicationId, tokenId)),
    findUserByEmail: (email) => call('findUserByEmail', store.findUserByEmail(email)),
    findUser: (id) => call('findUser', store.findUser(id)),
    findKnownUsers: (keys) => call('findKnownUsers', store.findKnownUsers(keys)),
    findOneTimeToken: (digest) => call('findOneTimeToken', store.findOneTimeToken(digest)),
    findSession: (id) => call('findSession', store.findSession(id)),
    listSessions: (query) => call('listSessions', store.listSessions(query)),
    listUsers: (query) => call('listUsers', store.listUsers(query)),
    listPasswordSchemes: (query) => call('listPasswordSchemes', store.listPasswordSchemes(query)),
    listSigningKeys: () => call('listSigningKeys', store.listSigningKeys()),
    listRows: (query) => call('listRows', store.listRows(query)),
    readEvents: (query) => call('readEvents', store.readEvents(query)),
    readEpoch: () => call('readEpoch', store.readEpoch()),
    renewEpoch: (entryOf) => call('renewEpoch', store.renewEpoch(entryOf)),
    deleteExpired: (query) => call('deleteExpired', store.deleteExpired(query)),
    checkWritable: () => call('checkWritable', store.checkWritable()),
    ...treeOf(store), // no request waits for them
    close: () => store.close(),
  }
}

const unobserved = <Task>(_call: unknown, task: Task): Task => task

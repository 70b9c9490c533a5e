import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStore } from '../../../adapters/driven/memory/store.ts'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'
import { type Broken, broken, turn } from './broken.ts'

const METHODS = [
  'commit',
  'findApplication',
  'findUserByEmail',
  'findSession',
  'findTokenHolder',
  'listSessions',
  'listPasswordSchemes',
  'listSigningKeys',
  'listRows',
  'readEvents',
  'readEpoch',
  'renewEpoch',
  'checkWritable',
] as const satisfies ReadonlyArray<keyof Store>

const EVERY_METHOD = METHODS.map((method) => `${method} answers StoreUnavailable once the store is closed`)

/** Stores that do not know how to end. */
export const BROKEN_CLOSINGS: ReadonlyArray<Broken> = [
  ...METHODS.map((method) =>
    broken(
      `answers ${method} when it is closed`,
      `${method} answers StoreUnavailable once the store is closed`,
      (store) => ({ ...endingAs(store, memoryStore()), [method]: store[method] }),
    ),
  ),
  broken('rejects what it is asked when it is closed', EVERY_METHOD, (store) =>
    endingAs(
      store,
      always(() => () => Promise.reject(new Error('closed'))),
    ),
  ),
  broken('throws at who asks when it is closed', EVERY_METHOD, (store) =>
    endingAs(
      store,
      always(() => {
        throw new Error('closed')
      }),
    ),
  ),
  broken('does not say why it is unavailable', EVERY_METHOD, (store) =>
    endingAs(
      store,
      always(() => TE.left({ _tag: 'StoreUnavailable', reason: '' })),
    ),
  ),
  broken('cannot be closed twice', 'closing twice, or twice at once, does nothing more', (store) => {
    let closed = false
    return {
      close: async () => {
        if (closed) throw new Error('closed already')
        closed = true
        await store.close()
      },
    }
  }),
  broken(
    'drops what waits when it is closed',
    'commits asked for before close are done when it resolves',
    (store) => ({
      commit: (change) => async () => {
        await turn()
        return store.commit(change)()
      },
    }),
  ),
  broken(
    'takes commits on until it is closed',
    'what is asked for once closing has begun is not done any more',
    (store) => ({
      close: async () => {
        await turn()
        await store.close()
      },
    }),
  ),
  broken(
    'is closed before all is written',
    'commits asked for before close are done when it resolves',
    (store) => ({
      commit: (change) => async () => {
        await turn()
        await turn()
        return store.commit(change)()
      },
      close: async () => {},
    }),
  ),
]

/** A store that is the one until it is closed, and then the other. */
export const endingAs = (store: Store, afterwards: Store): Store => {
  let current = store
  return {
    ...through(() => current),
    close: async () => {
      current = afterwards
      await afterwards.close()
    },
  }
}

/** The store that is the current one when it is asked. */
export const through = (current: () => Store): Store => ({
  commit: (change) => () => current().commit(change)(),
  findApplication: (id) => () => current().findApplication(id)(),
  findUserByEmail: (email) => () => current().findUserByEmail(email)(),
  findSession: (id) => () => current().findSession(id)(),
  findTokenHolder: (id, tokenId) => () => current().findTokenHolder(id, tokenId)(),
  listSessions: (query) => () => current().listSessions(query)(),
  listPasswordSchemes: () => () => current().listPasswordSchemes()(),
  listSigningKeys: () => () => current().listSigningKeys()(),
  listRows: (query) => () => current().listRows(query)(),
  readEvents: (query) => () => current().readEvents(query)(),
  readEpoch: () => () => current().readEpoch()(),
  renewEpoch: (entryOf) => () => current().renewEpoch(entryOf)(),
  checkWritable: () => () => current().checkWritable()(),
  close: () => current().close(),
})

/** A store that says one thing to everything. */
export const always = (say: () => TE.TaskEither<StoreUnavailable, never>): Store => ({
  commit: say,
  findApplication: say,
  findUserByEmail: say,
  findSession: say,
  findTokenHolder: say,
  listSessions: say,
  listPasswordSchemes: say,
  listSigningKeys: say,
  listRows: say,
  readEvents: say,
  readEpoch: say,
  renewEpoch: say,
  checkWritable: say,
  close: async () => {},
})

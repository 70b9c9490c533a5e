import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type Conflict,
  type EmailTaken,
  STORE_METHODS,
  type Store,
  type StoreUnavailable,
} from '../../../application/ports/store.ts'
import { anApplication, aRenewal, newId, someChange } from '../builders.ts'

type Call = (store: Store) => TaskEither<StoreUnavailable | Conflict | EmailTaken, unknown>

type Method = (typeof STORE_METHODS)[number]

/** A call of each method that can fail. A forgotten one does not compile. */
const CALLS: Readonly<Record<Method, Call>> = {
  commit: (store) => store.commit(someChange()),
  findApplication: (store) => store.findApplication(anApplication().id),
  findUserByEmail: (store) => store.findUserByEmail('ada@example.com'),
  findUser: (store) => store.findUser(newId()),
  findKnownUsers: (store) => store.findKnownUsers({ emailKeys: ['ada@example.com'], ids: [newId()] }),
  findOneTimeToken: (store) => store.findOneTimeToken(newId()),
  findSession: (store) => store.findSession(newId()),
  findTokenHolder: (store) => store.findTokenHolder(newId(), newId()),
  listSessions: (store) =>
    store.listSessions({
      userId: newId(),
      passwordVersion: 1,
      sessionsVersion: 1,
      expiresAfterSeconds: 0,
      skip: 0,
      limit: 1,
    }),
  listFactors: (store) => store.listFactors(newId()),
  findFactor: (store) => store.findFactor(newId()),
  listUsers: (store) => store.listUsers({ after: '', limit: 1 }),
  listPasswordSchemes: (store) => store.listPasswordSchemes({ after: '', limit: 1 }),
  listSigningKeys: (store) => store.listSigningKeys(),
  listRows: (store) => store.listRows({ table: 'users', after: '', limit: 1 }),
  readEvents: (store) => store.readEvents({ after: 0, limit: 1 }),
  readEpoch: (store) => store.readEpoch(),
  renewEpoch: (store) => store.renewEpoch(aRenewal),
  deleteExpired: (store) => store.deleteExpired({ table: 'sessions', beforeSeconds: 1, limit: 1 }),
  eraseEndedLabels: (store) => store.eraseEndedLabels(1),
  checkWritable: (store) => store.checkWritable(),
}

export const METHODS = STORE_METHODS.map((method) => [method, CALLS[method]] as const)

import type { Change, Store } from '../../../application/ports/store.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  changeBy,
  createdKey,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  startedRecovery,
} from '../builders.ts'
import { ok } from '../outcome.ts'

/** Reads a store by one method. */
type Read = (store: Store) => Promise<unknown>

type Method = Exclude<
  keyof Store,
  'commit' | 'renewEpoch' | 'deleteExpired' | 'eraseEndedLabels' | 'checkWritable' | 'close'
>

/** One read by each method, of the rows `ada`, `application`, `session`, `factor` and `token`, and the digest `digest`. A forgotten one does not compile. */
const ALL: Readonly<Record<Method, Read>> = {
  findApplication: (store) => ok(store.findApplication('application')),
  findUserByEmail: (store) => ok(store.findUserByEmail('ada@example.com')),
  findUser: (store) => ok(store.findUser('ada')),
  findOneTimeToken: (store) => ok(store.findOneTimeToken('digest')),
  findSession: (store) => ok(store.findSession('session')),
  findTokenHolder: (store) => ok(store.findTokenHolder('application', 'token')),
  listSessions: (store) =>
    ok(
      store.listSessions({
        userId: 'ada',
        passwordVersion: 1,
        sessionsVersion: 1,
        expiresAfterSeconds: 0,
        skip: 0,
        limit: 9,
      }),
    ),
  listFactors: (store) => ok(store.listFactors('ada')),
  findFactor: (store) => ok(store.findFactor('factor')),
  listUsers: (store) => ok(store.listUsers({ after: '', limit: 9 })),
  listSigningKeys: (store) => ok(store.listSigningKeys()),
  listRows: (store) => ok(store.listRows({ table: 'users', after: '', limit: 9 })),
  readEvents: (store) => ok(store.readEvents({ after: 0, limit: 99 })),
  findKnownUsers: (store) => ok(store.findKnownUsers({ emailKeys: ['ada@example.com'], ids: ['ada'] })),
  listPasswordSchemes: (store) => ok(store.listPasswordSchemes({ after: '', limit: 9 })),
  readEpoch: (store) => ok(store.readEpoch()),
}

/** One read by each method there is. */
export const READS = Object.entries(ALL) as ReadonlyArray<readonly [method: Method, Read]>

/** One read by each method whose answer is an object. */
export const OBJECT_READS = READS.filter(([method]) => method !== 'readEpoch')

/** One read by each method that returns records. */
export const RECORD_READS = OBJECT_READS.filter(
  ([method]) => method !== 'findKnownUsers' && method !== 'listPasswordSchemes',
)

/** A change after which each of these reads has something to return. */
export const someOfEverything = (): Change => {
  const user = aUser({ id: 'ada', email: 'ada@example.com' })
  const application = anApplication({ id: 'application' })
  const written = changeBy(
    { actor: { kind: 'application', id: application.id } }, // which opens the session
    registered(user),
    registeredApplication(application),
    signedIn(aSession({ id: 'session', userId: user.id })),
    createdKey(aKey()),
    revokedToken(aRevokedToken({ id: 'token', applicationId: application.id })),
    startedRecovery(aOneTimeToken({ digest: 'digest', userId: user.id, applicationId: application.id })),
  )
  const factor = aFactor({ id: 'factor', userId: user.id })
  return { ...written, rows: [...written.rows, { table: 'factors', row: factor }] }
}

import type { Store } from '../../../application/ports/store.ts'
import { ok } from '../outcome.ts'

/** Reads a store by one method. */
type Read = (store: Store) => Promise<unknown>

/** One read by each method there is, of the rows `ada`, `application`, `session` and `token`. */
export const READS: ReadonlyArray<readonly [method: Exclude<keyof Store, 'commit' | 'close'>, Read]> = [
  ['findApplication', (store) => ok(store.findApplication('application'))],
  ['findUserByEmail', (store) => ok(store.findUserByEmail('ada@example.com'))],
  ['findSession', (store) => ok(store.findSession('session'))],
  ['findTokenHolder', (store) => ok(store.findTokenHolder('application', 'token'))],
  [
    'listSessions',
    (store) =>
      ok(store.listSessions({ userId: 'ada', passwordVersion: 1, expiresAfterSeconds: 0, limit: 9 })),
  ],
  ['listSigningKeys', (store) => ok(store.listSigningKeys())],
  ['listRows', (store) => ok(store.listRows({ table: 'users', after: '', limit: 9 }))],
  ['readEvents', (store) => ok(store.readEvents({ after: 0, limit: 99 }))],
]

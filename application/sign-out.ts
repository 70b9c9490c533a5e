import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'
import { recordOfLiveSession } from './recording/session-facts.ts'

/** Ends the session a user token stands for. Of two that race, the second finds its token dead. */
export type SignOut = (
  call: RequestContext,
  caller: UserCaller,
) => TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

export const signOut = ({
  store,
  clock,
  record,
}: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>): SignOut => {
  const end = recordOfLiveSession({
    store,
    clock,
    record,
    factOf: ({ session }) => ({ _tag: 'UserSignedOut', session }),
  })
  return (call, caller) => end(call, { kind: 'user', id: caller.user.id }, caller)
}

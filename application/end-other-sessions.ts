import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'
import type { Recorder, RequestContext } from './recording/recorder.ts'
import { recordOfLiveSession } from './recording/session-facts.ts'

/**
 * A signed-in user ends every session but the one that asks. As with a password change, which ends them too, nobody gathers
 * them: they stay behind under a password version that is not the user's any more, and so does one that a sign-in opens that
 * was under way.
 *
 * Of two sessions that race to end each other, one wins, and the other finds its token dead.
 */
export type EndOtherSessions = (
  call: RequestContext,
  caller: UserCaller,
) => TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

export const endOtherSessions = ({
  store,
  clock,
  record,
}: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>): EndOtherSessions => {
  const end = recordOfLiveSession({
    store,
    clock,
    record,
    factOf: ({ session, user }) => ({
      _tag: 'OtherSessionsEnded',
      user,
      session,
    }),
  })
  return (call, caller) => end(call, { kind: 'user', id: caller.user.id }, caller)
}

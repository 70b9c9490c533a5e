import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { recordIfAlive } from '../recording/session-facts.ts'

/** Ends the session of a user token. Of two concurrent calls, the second finds its token invalid. */
export type SignOut = (
  context: RequestContext,
  caller: UserCaller,
) => TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

export const signOut =
  (dependencies: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>): SignOut =>
  (context, caller) =>
    recordIfAlive(dependencies, {
      facts: caller,
      factOf: ({ session }) => ({ _tag: 'UserSignedOut', session }),
      actor: { kind: 'user', id: caller.user.id },
      context,
    })

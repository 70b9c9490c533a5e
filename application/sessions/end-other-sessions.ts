import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Recorder, RequestContext } from '../recording/recorder.ts'
import { recordIfAlive } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { sessionEndKeys } from '../throttling/throttle-key.ts'

/**
 * Ends every session of a signed-in user except the current one (docs/contract.md §8).
 *
 * It does not list them. It increments the user's `sessionsVersion`, which ends no one-time token: a thief of a session may repeat this
 * call, and the owner must still be able to recover the account.
 * If two sessions end each other concurrently, one survives and the other finds its token invalid.
 */
export type EndOtherSessions = (
  context: RequestContext,
  caller: UserCaller,
) => TaskEither<InvalidToken | Throttled | Overloaded | StoreUnavailable, void>

export const endOtherSessions =
  (
    dependencies: Readonly<{
      store: Pick<Store, 'findSession'>
      clock: Clock
      record: Recorder
      throttle: Throttle
    }>,
  ): EndOtherSessions =>
  (context, caller) =>
    withThrottle(dependencies.throttle, sessionEndKeys(caller), {
      check: recordIfAlive(dependencies, {
        facts: caller,
        factOf: ({ session, user }) => ({ _tag: 'OtherSessionsEnded', user, session }),
        actor: { kind: 'user', id: caller.user.id },
        context,
      }),
      isSuccess: () => false,
    })

import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import { isAlive } from '../domain/session.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Conflict, SessionAndUser, Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'
import { type Call, cannotMeet, type Recorder } from './recorder.ts'
import { onFreshSession } from './session-facts.ts'

/**
 * A signed-in user ends every session but the one that asks. As with a password change, which ends them too, nobody gathers
 * them: they stay behind under a password version that is not the user's any more, and so does one that a sign-in opens that
 * was under way.
 *
 * Of two sessions that race to end each other, one wins, and the other finds its token dead.
 */
export type EndOtherSessions = (
  call: Call,
  caller: UserCaller,
) => TE.TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

export const endOtherSessions =
  (store: Pick<Store, 'findSession'>, clock: Clock, record: Recorder): EndOtherSessions =>
  (call, caller) => {
    const end = ({
      session,
      user,
    }: SessionAndUser): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
      isAlive(session, user, clock() / 1000)
        ? pipe(
            record([{ _tag: 'OtherSessionsEnded', user, session }], { kind: 'user', id: user.id }, call),
            cannotMeet('EmailTaken'),
          )
        : TE.left({ _tag: 'InvalidToken' })

    return onFreshSession(store, end)(caller)
  }

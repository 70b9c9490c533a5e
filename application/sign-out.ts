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

/** Ends the session a user token stands for. Of two that race, the second finds its token dead. */
export type SignOut = (
  call: Call,
  caller: UserCaller,
) => TE.TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

export const signOut =
  (store: Pick<Store, 'findSession'>, clock: Clock, record: Recorder): SignOut =>
  (call, caller) => {
    const end = ({
      session,
      user,
    }: SessionAndUser): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
      isAlive(session, user, clock() / 1000)
        ? pipe(
            record([{ _tag: 'UserSignedOut', session }], { kind: 'user', id: user.id }, call),
            cannotMeet('EmailTaken'),
          )
        : TE.left({ _tag: 'InvalidToken' })

    return onFreshSession(store, end)(caller)
  }

import { mapLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import { type EndSessionProblem, type EndSessionRequest, validateEndSession } from '../domain/end-session.ts'
import { isPresent } from '../domain/field.ts'
import { isAlive, type SessionFacts } from '../domain/session.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Clock } from './ports/environment.ts'
import type { Overloaded } from './ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from './ports/store.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { retryOnConflict } from './recording/retry-on-conflict.ts'

/**
 * A signed-in user ends one of the own sessions, perhaps the very one that asks. Of two that race, the second finds that there
 * is no such session any more.
 */
export type EndSession = (
  call: RequestContext,
  caller: UserCaller,
  request: EndSessionRequest,
) => TE.TaskEither<Invalid<EndSessionProblem> | Overloaded | StoreUnavailable, void>

export const endSession =
  ({
    store,
    clock,
    record,
  }: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>): EndSession =>
  (call, caller, request) => {
    const { sessionId } = request
    const read: TE.TaskEither<StoreUnavailable, Option<SessionFacts>> = isPresent(sessionId)
      ? store.findSession(sessionId)
      : TE.right(none)

    const isTheirs = (facts: SessionFacts): boolean =>
      facts.user.id === caller.user.id && isAlive(facts, clock() / 1000)

    const end = (
      found: Option<SessionFacts>,
    ): TE.TaskEither<Invalid<EndSessionProblem> | Conflict | StoreUnavailable, void> =>
      pipe(
        validateEndSession(request, filter(isTheirs)(found)),
        mapLeft(invalid),
        TE.fromEither,
        TE.chainW(({ session }) =>
          pipe(
            record([{ _tag: 'UserSignedOut', session }], { kind: 'user', id: caller.user.id }, call),
            cannotMeet('EmailTaken'),
          ),
        ),
      )

    return pipe(read, TE.chainW(retryOnConflict(() => read, end)))
  }

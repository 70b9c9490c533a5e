import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import {
  type EndSessionProblem,
  type EndSessionRequest,
  validateEndSession,
} from '../../domain/end-session.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { sessionEndKeys } from '../throttling/throttle-key.ts'

/**
 * Ends one session of a signed-in user, which may be the current one (docs/contract.md §8). Of two concurrent calls, the second
 * finds no such session. Ends of other sessions are limited, so that a thief of one session cannot end each new one of the owner.
 */
export type EndSession = (
  context: RequestContext,
  caller: UserCaller,
  request: EndSessionRequest,
) => TE.TaskEither<Invalid<EndSessionProblem> | Overloaded | Throttled | StoreUnavailable, void>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

export const endSession =
  (dependencies: Dependencies): EndSession =>
  (context, caller, request) => {
    const read = findSession(dependencies.store, request.sessionId)
    const end = (found: Option<SessionFacts>) => endOnce(dependencies, { context, caller, request, found })
    return withThrottle(
      dependencies.throttle,
      request.sessionId === caller.session.id ? [] : sessionEndKeys(caller),
      { check: pipe(read, TE.chainW(retryOnConflict(() => read, end))), isSuccess: () => false },
    )
  }

const findSession = (
  store: Pick<Store, 'findSession'>,
  sessionId: Field,
): TE.TaskEither<StoreUnavailable, Option<SessionFacts>> =>
  isPresent(sessionId) ? store.findSession(sessionId) : TE.right(none)

const endOnce =
  (
    { clock, record }: Dependencies,
    {
      context,
      caller,
      request,
      found,
    }: Readonly<{
      context: RequestContext
      caller: UserCaller
      request: EndSessionRequest
      found: Option<SessionFacts>
    }>,
  ): TE.TaskEither<Invalid<EndSessionProblem> | Conflict | StoreUnavailable, void> =>
  async () => {
    const isTheirs = (facts: SessionFacts): boolean =>
      facts.user.id === caller.user.id && isAlive(facts, clock() / 1000)
    const valid = validateEndSession(request, filter(isTheirs)(found))
    if (isLeft(valid)) return left(invalid(valid.left))
    const { session } = valid.right
    return pipe(
      record([{ _tag: 'UserSignedOut', session }], { kind: 'user', id: caller.user.id }, context),
      neverFailsWith('EmailTaken'),
    )()
  }

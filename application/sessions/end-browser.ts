import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Actor } from '../../domain/event.ts'
import type { Session, SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { readSessionAgain, retryOnSessionConflict } from '../recording/session-facts.ts'
import { liveSessionsInBrowser } from './list-sessions.ts'

/**
 * Ends the session of the pages in a browser, and all sessions that were opened through it, in one change. Of two concurrent calls, the
 * second finds its session ended.
 */
export type EndBrowser = (
  context: RequestContext,
  caller: UserCaller,
) => TE.TaskEither<InvalidToken | Overloaded | StoreUnavailable, void>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listSessions'>
  clock: Clock
  record: Recorder
}>

export const endBrowser =
  (dependencies: Dependencies): EndBrowser =>
  (context, caller) => {
    const ending: Ending = { actor: { kind: 'user', id: caller.user.id }, context }
    return pipe(
      endSessionsInBrowser(dependencies, ending)(caller),
      TE.chainW(() => endOpenedMeanwhile(dependencies, ending)(caller)),
    )
  }

type Ending = Readonly<{
  actor: Actor
  context: RequestContext
  /** The session of the sign-in of another user. */
  displacedBy?: string
}>

type Failure = InvalidToken | Overloaded | StoreUnavailable

/**
 * Ends what was opened through a browser between the list and the change that ended its session of the pages. No session is opened by an
 * ended one, so once is enough.
 */
export const endOpenedMeanwhile =
  (dependencies: Dependencies, ending: Ending) =>
  (facts: SessionFacts): TE.TaskEither<Overloaded | StoreUnavailable, void> =>
    pipe(
      readSessionAgain(dependencies.store)(facts),
      TE.chainW(endSessionsInBrowser(dependencies, ending)),
      TE.orElseW((failure) => (failure._tag === 'InvalidToken' ? TE.right(undefined) : TE.left(failure))),
    )

/** If none is alive, the session is invalid. */
const endSessionsInBrowser = (
  { store, clock, record }: Dependencies,
  { actor, context, displacedBy }: Ending,
): ((facts: SessionFacts) => TE.TaskEither<Failure, void>) => {
  const endOf = (session: Session): Fact => ({ _tag: 'UserSignedOut', session, displacedBy })
  return retryOnSessionConflict(
    store,
    (facts): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
      pipe(
        liveSessionsInBrowser(store, facts, clock() / 1000),
        TE.chainW(
          ([first, ...others]): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
            first === undefined
              ? TE.left({ _tag: 'InvalidToken' })
              : pipe(
                  record([endOf(first), ...others.map(endOf)], actor, context),
                  neverFailsWith('EmailTaken'),
                ),
        ),
      ),
  )
}

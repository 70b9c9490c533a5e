import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Fact } from './facts.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recorder.ts'
import { retryOnConflict } from './retry-on-conflict.ts'

/** `retryOnConflict` for what a signed-in user does: a session that is gone meanwhile is a token that is good no more. */
export const retryOnSessionConflict = <E, A>(
  store: Pick<Store, 'findSession'>,
  decide: (facts: SessionFacts) => TE.TaskEither<E | Conflict, A>,
) =>
  retryOnConflict(
    ({ session }: SessionFacts): TE.TaskEither<InvalidToken | StoreUnavailable, SessionFacts> =>
      pipe(
        store.findSession(session.id),
        TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
      ),
    decide,
  )

/**
 * Records what becomes of a session, as long as it is alive: one that is not any more is a token that is good no more. Of two that race to
 * end it, the second finds it so.
 */
export const recordOfLiveSession =
  ({
    store,
    clock,
    record,
    factOf,
  }: Readonly<{
    store: Pick<Store, 'findSession'>
    clock: Clock
    record: Recorder
    factOf: (facts: SessionFacts) => Fact
  }>) =>
  (
    call: RequestContext,
    actor: Actor,
    facts: SessionFacts,
  ): TE.TaskEither<InvalidToken | Overloaded | StoreUnavailable, void> => {
    const decide = (fresh: SessionFacts): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
      isAlive(fresh, clock() / 1000)
        ? pipe(record([factOf(fresh)], actor, call), cannotMeet('EmailTaken'))
        : TE.left({ _tag: 'InvalidToken' })

    return retryOnSessionConflict(store, decide)(facts)
  }

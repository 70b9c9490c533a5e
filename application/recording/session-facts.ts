import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Fact } from './facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from './recorder.ts'
import { retryOnConflict, type Tagged } from './retry-on-conflict.ts'

/** Records what happens to a session if it is alive. If another request ended it first, its token is invalid. */
export const recordIfAlive = (
  { store, clock, record }: Readonly<{ store: Pick<Store, 'findSession'>; clock: Clock; record: Recorder }>,
  {
    facts,
    factOf,
    actor,
    context,
  }: Readonly<{
    facts: SessionFacts
    factOf: (facts: SessionFacts) => Fact
    actor: Actor
    context: RequestContext
  }>,
): TE.TaskEither<InvalidToken | Overloaded | StoreUnavailable, void> =>
  retryOnSessionConflict(
    store,
    (current): TE.TaskEither<InvalidToken | Conflict | StoreUnavailable, void> =>
      isAlive(current, clock() / 1000)
        ? pipe(record([factOf(current)], actor, context), neverFailsWith('EmailTaken'))
        : TE.left({ _tag: 'InvalidToken' }),
  )(facts)

/** `retryOnConflict` for a signed-in user. If the session no longer exists, the token is invalid. */
export const retryOnSessionConflict = <E extends Tagged, A>(
  store: Pick<Store, 'findSession'>,
  decide: (facts: SessionFacts) => TE.TaskEither<E | Conflict, A>,
): ((facts: SessionFacts) => TE.TaskEither<E | InvalidToken | StoreUnavailable | Overloaded, A>) =>
  retryOnConflict(readSessionAgain(store), decide)

/** Reads a session again. If it no longer exists, its token is invalid. */
export const readSessionAgain =
  (store: Pick<Store, 'findSession'>) =>
  ({ session }: SessionFacts): TE.TaskEither<InvalidToken | StoreUnavailable, SessionFacts> =>
    pipe(
      store.findSession(session.id),
      TE.chainW(TE.fromOption((): InvalidToken => ({ _tag: 'InvalidToken' }))),
    )

import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Factor } from '../../domain/factor.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'

/** A session and its user as last read, with all factors of the user that are not removed. */
export type OwnFactors = SessionFacts & Readonly<{ factors: ReadonlyArray<Factor> }>

type Dependencies = Readonly<{ store: Pick<Store, 'findSession' | 'listFactors'>; clock: Clock }>

/**
 * Decides about the factors of a signed-in user, again after each conflict. If the session has ended, its token is invalid.
 *
 * The factors are read after the user. Each change of them writes the user, so a change after these reads is a conflict.
 */
export const changeOwnFactors =
  <E extends Tagged, A>(
    { store, clock }: Dependencies,
    decide: (own: OwnFactors) => TE.TaskEither<E | Conflict, A>,
  ) =>
  (caller: UserCaller): TE.TaskEither<E | InvalidToken | Overloaded | StoreUnavailable, A> =>
    pipe(
      caller,
      retryOnSessionConflict(
        store,
        (facts: SessionFacts): TE.TaskEither<E | InvalidToken | StoreUnavailable | Conflict, A> =>
          isAlive(facts, clock() / 1000)
            ? pipe(
                store.listFactors(facts.user.id),
                TE.chainW((factors) => decide({ ...facts, factors })),
              )
            : TE.left({ _tag: 'InvalidToken' }),
      ),
    )

import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Factor } from '../../domain/factor.ts'
import { isAlive } from '../../domain/session.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Tagged } from '../recording/retry-on-conflict.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'

/** A signed-in user as last read, with all factors of the user that are not removed. */
export type OwnFactors = Readonly<{ caller: UserCaller; factors: ReadonlyArray<Factor> }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors'>
  clock: Clock
  throttle: Throttle
}>

/**
 * Decides about the factors of a user, again after each conflict. If the session has ended, then `InvalidToken`.
 *
 * Changes have limits, which only changes that are made count on. A session has less than its user, so that a thief of one leaves the
 * others theirs.
 *
 * The factors are read after the user. Each change of them writes the user, so a change after these reads is a conflict.
 */
export const changeOwnFactors =
  <E extends Tagged, A>(
    { store, clock, throttle }: Dependencies,
    decide: (own: OwnFactors) => TE.TaskEither<E | Conflict, A>,
  ) =>
  (caller: UserCaller): TE.TaskEither<E | InvalidToken | Throttled | Overloaded | StoreUnavailable, A> =>
    withThrottle(
      throttle,
      [
        { kind: 'factor_changes_in_session', id: caller.session.id },
        { kind: 'factor_changes', userId: caller.user.id },
      ],
      {
        check: retryOnSessionConflict(
          store,
          (facts): TE.TaskEither<E | InvalidToken | StoreUnavailable | Conflict, A> =>
            isAlive(facts, clock() / 1000)
              ? pipe(
                  store.listFactors(facts.user.id),
                  TE.chainW((factors) => decide({ caller: { ...caller, ...facts }, factors })),
                )
              : TE.left({ _tag: 'InvalidToken' }),
        )(caller),
        isSuccess: () => false,
      },
    )

import { isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { isDue, withoutFactor } from '../../domain/factor.ts'
import {
  type FactorRemovalProblem,
  type FactorRemovalRequest,
  validateFactorRemoval,
} from '../../domain/factor-management.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors } from './change-own-factors.ts'

/**
 * Removes a second factor of a user (docs/second-factor.md). The last one takes the recovery codes along. Every other session of the user
 * ends.
 */
export type RemoveFactor = (
  context: RequestContext,
  caller: UserCaller,
  request: FactorRemovalRequest,
) => TaskEither<
  Invalid<FactorRemovalProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  void
>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

export const removeFactor =
  (dependencies: Dependencies): RemoveFactor =>
  (context, caller, request) =>
    changeOwnFactors(
      dependencies,
      ({
        caller: { user, session },
        factors,
      }): TaskEither<Invalid<FactorRemovalProblem> | Conflict | StoreUnavailable, void> =>
        async () => {
          const valid = validateFactorRemoval(request, factors, user)
          if (isLeft(valid)) return left(invalid(valid.left))
          const fact = { _tag: 'FactorRemoved', user, session, factor: valid.right, factors } as const
          const removed = await pipe(
            dependencies.record([fact], { kind: 'user', id: user.id }, context),
            neverFailsWith('EmailTaken'),
          )()
          const isLast = !isDue(withoutFactor(factors, fact.factor.id))
          // Guesses at a secret that is gone must not pause the next app.
          if (isRight(removed) && isLast)
            await dependencies.throttle.forget({ kind: 'second_factor', userId: user.id })()
          return removed
        },
    )(caller)

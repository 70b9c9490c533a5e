import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import {
  type FactorRenamingProblem,
  type FactorRenamingRequest,
  validateFactorRenaming,
} from '../../domain/factor-management.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors } from './change-own-factors.ts'

/** Renames a second factor of a user (docs/second-factor.md). No session ends. */
export type RenameFactor = (
  context: RequestContext,
  caller: UserCaller,
  request: FactorRenamingRequest,
) => TaskEither<
  Invalid<FactorRenamingProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  void
>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

export const renameFactor =
  (dependencies: Dependencies): RenameFactor =>
  (context, caller, request) =>
    changeOwnFactors(
      dependencies,
      ({
        caller: { user },
        factors,
      }): TaskEither<Invalid<FactorRenamingProblem> | Conflict | StoreUnavailable, void> =>
        async () => {
          const valid = validateFactorRenaming(request, factors)
          if (isLeft(valid)) return left(invalid(valid.left))
          const factor = valid.right
          const hasName = factors.some(({ id, name }) => id === factor.id && name === factor.name)
          if (hasName) return right(undefined)
          return pipe(
            dependencies.record([{ _tag: 'FactorRenamed', factor }], { kind: 'user', id: user.id }, context),
            neverFailsWith('EmailTaken'),
          )()
        },
    )(caller)

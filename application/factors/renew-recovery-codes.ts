import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type RecoveryCodesProblem, validateRecoveryCodes } from '../../domain/factor-management.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors, type FactorHolder, type OwnFactors, sessionOf } from './change-own-factors.ts'
import { newRecoveryCodes } from './new-recovery-codes.ts'

/**
 * Replaces the recovery codes of a user (docs/second-factor.md). The former codes and every other session end. Returns the new codes, which
 * are shown once.
 */
export type RenewRecoveryCodes = (
  context: RequestContext,
  holder: FactorHolder,
) => TE.TaskEither<
  Invalid<RecoveryCodesProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  ReadonlyArray<string>
>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'findUser' | 'listFactors' | 'findFactor'>
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  throttle: Throttle
}>

export const renewRecoveryCodes =
  (dependencies: Dependencies): RenewRecoveryCodes =>
  (context, holder) =>
    changeOwnFactors(
      dependencies,
      ({
        holder: current,
        factors,
      }: OwnFactors): TE.TaskEither<
        Invalid<RecoveryCodesProblem> | Conflict | StoreUnavailable,
        ReadonlyArray<string>
      > =>
        pipe(
          TE.fromEither(pipe(validateRecoveryCodes(factors), E.mapLeft(invalid))),
          TE.chainW(() => newRecoveryCodes(dependencies, current.user.id)),
          TE.chainW(({ texts, record: codes }) =>
            pipe(
              dependencies.record(
                [{ _tag: 'RecoveryCodesGenerated', user: current.user, session: sessionOf(current), codes }],
                { kind: 'user', id: current.user.id },
                context,
              ),
              neverFailsWith('EmailTaken'),
              TE.map(() => texts),
            ),
          ),
        ),
    )(holder)

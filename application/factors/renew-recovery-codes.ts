import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type RecoveryCodesProblem, validateRecoveryCodes } from '../../domain/factor-management.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { proofVersion } from '../../domain/user.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors } from './change-own-factors.ts'
import { newRecoveryCodes } from './new-recovery-codes.ts'

/**
 * Replaces the recovery codes of a user (docs/second-factor.md). The former codes and every other session end. Returns the new codes, which
 * are shown once.
 *
 * @param since the `proofVersion` of the user whom the form showed. If it has changed, no code is made and none is returned: a form that is
 * sent twice leaves the codes that the user has written down.
 */
export type RenewRecoveryCodes = (
  context: RequestContext,
  caller: UserCaller,
  since?: string,
) => TE.TaskEither<
  Invalid<RecoveryCodesProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  ReadonlyArray<string>
>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors' | 'findFactor'>
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  throttle: Throttle
}>

export const renewRecoveryCodes =
  (dependencies: Dependencies): RenewRecoveryCodes =>
  (context, caller, since) =>
    changeOwnFactors(
      dependencies,
      ({
        caller: { user, session },
        factors,
      }): TE.TaskEither<
        Invalid<RecoveryCodesProblem> | Conflict | StoreUnavailable,
        ReadonlyArray<string>
      > =>
        since !== undefined && since !== proofVersion(user)
          ? TE.right([])
          : pipe(
              TE.fromEither(pipe(validateRecoveryCodes(factors), E.mapLeft(invalid))),
              TE.chainW(() => newRecoveryCodes(dependencies, user.id)),
              TE.chainW(({ texts, record: codes }) =>
                pipe(
                  dependencies.record(
                    [{ _tag: 'RecoveryCodesGenerated', user, session, codes }],
                    { kind: 'user', id: user.id },
                    context,
                  ),
                  neverFailsWith('EmailTaken'),
                  TE.map(() => texts),
                ),
              ),
            ),
    )(caller)

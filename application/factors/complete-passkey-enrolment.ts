import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Invalid } from '../../domain/field.ts'
import type { PasskeyEnrolmentProblem, PasskeyEnrolmentRequest } from '../../domain/passkey-enrolment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors } from './change-own-factors.ts'
import { type EnrolledFactor, type EnrollingInSession, enrolInSession } from './enrol-in-session.ts'
import { type Passkeys, type PasskeysOff, requirePasskeysOf } from './passkey-ceremony.ts'
import { type RegistrationJudging, verifyPasskeyEnrolment } from './verify-passkey-enrolment.ts'

/**
 * Enrols the passkey that a started registration made (docs/second-factor.md). Every other session of the user ends. This one goes on: the
 * user has now proved the passkey, too.
 *
 * Of several concurrent uses of a registration one succeeds. The others find it ended, or the passkey enrolled.
 */
export type CompletePasskeyEnrolment = (
  context: RequestContext,
  caller: UserCaller,
  request: PasskeyEnrolmentRequest,
) => TE.TaskEither<
  | Invalid<PasskeyEnrolmentProblem>
  | PasskeysOff
  | InvalidToken
  | Throttled
  | Overloaded
  | KeyUnusable
  | StoreUnavailable,
  EnrolledFactor
>

type Dependencies = RegistrationJudging &
  EnrollingInSession &
  Readonly<{
    store: Pick<Store, 'findSession' | 'listFactors'>
    passkeys: Passkeys | undefined
    throttle: Throttle
  }>

export const completePasskeyEnrolment =
  (dependencies: Dependencies): CompletePasskeyEnrolment =>
  (context, caller, request) =>
    pipe(
      requirePasskeysOf(dependencies.passkeys, caller),
      TE.chainW((passkeys) =>
        changeOwnFactors(dependencies, (own) =>
          pipe(
            verifyPasskeyEnrolment(dependencies, { context, request, passkeys }, own),
            TE.chainW((judged) =>
              enrolInSession(dependencies, { context, caller: own.caller, proved: 'passkey' }, judged),
            ),
          ),
        )(caller),
      ),
    )

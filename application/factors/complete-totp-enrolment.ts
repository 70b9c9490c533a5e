import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Invalid } from '../../domain/field.ts'
import type { TotpEnrolmentProblem, TotpEnrolmentRequest } from '../../domain/totp-enrolment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors } from './change-own-factors.ts'
import { type EnrolledFactor, type EnrollingInSession, enrolInSession } from './enrol-in-session.ts'
import { type EnrolmentJudging, verifyTotpEnrolment } from './verify-totp-enrolment.ts'

/**
 * Enrols an authenticator app that makes the codes of a started enrolment (docs/second-factor.md). Every other session of the user ends.
 * This one goes on: the user has now proved both factors.
 *
 * Of several concurrent uses of an enrolment one succeeds. The others find it ended.
 */
export type CompleteTotpEnrolment = (
  context: RequestContext,
  caller: UserCaller,
  request: TotpEnrolmentRequest,
) => TE.TaskEither<Failure, EnrolledFactor>

type Failure =
  | Invalid<TotpEnrolmentProblem>
  | InvalidToken
  | Throttled
  | Overloaded
  | KeyUnusable
  | StoreUnavailable

type Dependencies = EnrolmentJudging &
  EnrollingInSession &
  Readonly<{ store: Pick<Store, 'findSession' | 'listFactors'>; throttle: Throttle }>

export const completeTotpEnrolment =
  (dependencies: Dependencies): CompleteTotpEnrolment =>
  (context, caller, request) =>
    changeOwnFactors(dependencies, (own) =>
      pipe(
        verifyTotpEnrolment(dependencies, request, own),
        TE.chainW((judged) =>
          enrolInSession(dependencies, { context, caller: own.caller, proved: 'totp' }, judged),
        ),
      ),
    )(caller)

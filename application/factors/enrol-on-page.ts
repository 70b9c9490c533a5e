import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { methodsAfter, type SecondMethod } from '../../domain/assurance.ts'
import type { Invalid } from '../../domain/field.ts'
import { type PageVisitor, visitorAfterChange } from '../../domain/page-visitor.ts'
import type { PasskeyEnrolmentProblem, PasskeyEnrolmentRequest } from '../../domain/passkey-enrolment.ts'
import type { TotpEnrolmentProblem, TotpEnrolmentRequest } from '../../domain/totp-enrolment.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { enrolmentFacts } from '../recording/factor-facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { changeOwnFactors, type OwnFactors } from './change-own-factors.ts'
import type { PasskeysOfPages } from './passkey-ceremony.ts'
import { type RegistrationJudging, verifyPasskeyEnrolment } from './verify-passkey-enrolment.ts'
import {
  type EnrolmentJudging,
  type VerifiedEnrolment,
  verifyTotpEnrolment,
} from './verify-totp-enrolment.ts'

/**
 * Enrols an authenticator app for a visitor of a page. Every session of the user ends. Of several concurrent uses of an enrolment one
 * succeeds. For the others, the proof of the visitor has ended.
 */
export type EnrolOnPage = (
  context: RequestContext,
  visitor: PageVisitor,
  request: TotpEnrolmentRequest,
) => TE.TaskEither<
  Invalid<TotpEnrolmentProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  EnrolledOnPage
>

/** `recoveryCodes` come with the first factor, and are shown once. The visitor has now proved both factors. */
export type EnrolledOnPage = Readonly<{
  recoveryCodes: Option<ReadonlyArray<string>>
  visitor: PageVisitor
}>

/** The same for the passkey that a registration on the page made. */
export type EnrolPasskeyOnPage = (
  context: RequestContext,
  visitor: PageVisitor,
  request: PasskeyEnrolmentRequest,
) => TE.TaskEither<
  Invalid<PasskeyEnrolmentProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  EnrolledOnPage
>

type Recording = Readonly<{
  store: Pick<Store, 'findSession' | 'findUser' | 'listFactors'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

type Dependencies = EnrolmentJudging & Recording

export const enrolOnPage =
  (dependencies: Dependencies): EnrolOnPage =>
  (context, visitor, request) =>
    changeOwnFactors(dependencies, (own: OwnFactors<PageVisitor>) =>
      pipe(
        verifyTotpEnrolment(dependencies, request, own),
        TE.chainW((judged) => enrol(dependencies, { context, visitor: own.holder, used: 'totp' }, judged)),
      ),
    )(visitor)

export const enrolPasskeyOnPage =
  (
    dependencies: RegistrationJudging & Recording & Readonly<{ passkeys: PasskeysOfPages }>,
  ): EnrolPasskeyOnPage =>
  (context, visitor, request) =>
    changeOwnFactors(dependencies, (own: OwnFactors<PageVisitor>) =>
      pipe(
        verifyPasskeyEnrolment(dependencies, { context, request, passkeys: dependencies.passkeys }, own),
        TE.chainW((judged) => enrol(dependencies, { context, visitor: own.holder, used: 'passkey' }, judged)),
      ),
    )(visitor)

const enrol = (
  { record, clock }: Recording,
  { context, visitor, used }: Readonly<{ context: RequestContext; visitor: PageVisitor; used: SecondMethod }>,
  { factor, codes }: VerifiedEnrolment,
): TE.TaskEither<Conflict | StoreUnavailable, EnrolledOnPage> => {
  const { user } = visitor
  const methods = methodsAfter(visitor, used)
  const proved: PageVisitor = { ...visitor, methods, provedAtMs: clock() }
  const afterOne = visitorAfterChange(proved)
  return pipe(
    record(enrolmentFacts({ user, factor, codes: codes?.record }), { kind: 'user', id: user.id }, context),
    neverFailsWith('EmailTaken'),
    TE.map(() => ({
      recoveryCodes: fromNullable(codes?.texts),
      // New recovery codes are a change, too.
      visitor: codes === undefined ? afterOne : visitorAfterChange(afterOne),
    })),
  )
}

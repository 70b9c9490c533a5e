import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Invalid } from '../../domain/field.ts'
import { type PageVisitor, visitorAfterChange } from '../../domain/page-visitor.ts'
import type { TotpEnrolmentProblem, TotpEnrolmentRequest } from '../../domain/totp-enrolment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { enrolmentFacts } from '../recording/factor-facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { changeOwnFactors, type OwnFactors } from './change-own-factors.ts'
import { type EnrolmentJudging, type JudgedEnrolment, judgeTotpEnrolment } from './judge-totp-enrolment.ts'

/**
 * Enrols an authenticator app for a visitor of a page. Every session of the user ends. Of several concurrent uses of an enrolment one
 * succeeds. For the others, the proof of the visitor has ended.
 */
export type EnrolOnPage = (
  context: RequestContext,
  visitor: PageVisitor,
  request: TotpEnrolmentRequest,
) => TE.TaskEither<
  Invalid<TotpEnrolmentProblem> | InvalidToken | Overloaded | StoreUnavailable,
  EnrolledOnPage
>

/** `recoveryCodes` come with the first factor, and are shown once. The visitor has now proved both factors. */
export type EnrolledOnPage = Readonly<{
  recoveryCodes: Option<ReadonlyArray<string>>
  visitor: PageVisitor
}>

type Dependencies = EnrolmentJudging &
  Readonly<{ store: Pick<Store, 'findSession' | 'findUser' | 'listFactors'>; record: Recorder }>

export const enrolOnPage =
  (dependencies: Dependencies): EnrolOnPage =>
  (context, visitor, request) =>
    changeOwnFactors(dependencies, (own: OwnFactors<PageVisitor>) =>
      pipe(
        judgeTotpEnrolment(dependencies, request, own),
        TE.chainW((judged) => enrol(dependencies, { context, visitor: own.holder }, judged)),
      ),
    )(visitor)

const enrol = (
  { record, clock }: Dependencies,
  { context, visitor }: Readonly<{ context: RequestContext; visitor: PageVisitor }>,
  { factor, codes }: JudgedEnrolment,
): TE.TaskEither<Conflict | StoreUnavailable, EnrolledOnPage> => {
  const { user } = visitor
  const proved: PageVisitor = { ...visitor, methods: 'password totp', provedAtMs: clock() }
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

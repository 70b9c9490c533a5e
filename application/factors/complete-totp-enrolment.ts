import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, isNone, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import type { FactorKind } from '../../domain/factor.ts'
import type { Invalid } from '../../domain/field.ts'
import { steppedUp } from '../../domain/step-up.ts'
import type { TotpEnrolmentProblem, TotpEnrolmentRequest } from '../../domain/totp-enrolment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import { enrolmentFacts } from '../recording/factor-facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { SignUserToken } from '../sessions/sign-user-token.ts'
import { changeOwnFactors, type OwnFactors } from './change-own-factors.ts'
import { type EnrolmentJudging, type JudgedEnrolment, judgeTotpEnrolment } from './judge-totp-enrolment.ts'

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

/** `recoveryCodes` come with the first factor, and are shown once. `expiresInSeconds` is the rest of the session. */
export type EnrolledFactor = Readonly<{
  id: string
  kind: FactorKind
  name: string
  token: string
  expiresInSeconds: number
  recoveryCodes: Option<ReadonlyArray<string>>
}> &
  Assurance

type Failure = Invalid<TotpEnrolmentProblem> | InvalidToken | Overloaded | KeyUnusable | StoreUnavailable

type Dependencies = EnrolmentJudging &
  Readonly<{
    store: Pick<Store, 'findSession' | 'findUser' | 'listFactors'>
    signUserToken: SignUserToken
    record: Recorder
  }>

export const completeTotpEnrolment =
  (dependencies: Dependencies): CompleteTotpEnrolment =>
  (context, caller, request) =>
    changeOwnFactors(dependencies, (own: OwnFactors<UserCaller>) =>
      pipe(
        judgeTotpEnrolment(dependencies, request, own),
        TE.chainW((judged) => enrol(dependencies, { context, caller: own.holder }, judged)),
      ),
    )(caller)

/** What the user has proved in the session. */
const METHODS: Methods = 'password totp'

/** Signs first, so that no factor is enrolled if signing fails. */
const enrol =
  (
    { signUserToken, clock, record }: Dependencies,
    {
      context,
      caller: { user, session, application },
    }: Readonly<{
      context: RequestContext
      caller: UserCaller
    }>,
    { factor, codes }: JudgedEnrolment,
  ): TE.TaskEither<InvalidToken | Conflict | KeyUnusable | StoreUnavailable, EnrolledFactor> =>
  async () => {
    const issuedAtSeconds = Math.floor(clock() / 1000)
    const lifetimeSeconds = session.expiresAtSeconds - issuedAtSeconds
    if (isNone(application) || lifetimeSeconds <= 0) return left({ _tag: 'InvalidToken' })
    const proved = steppedUp(session, { methods: METHODS, authenticatedAtSeconds: issuedAtSeconds })
    const signed = await signUserToken({
      userId: user.id,
      sessionId: session.id,
      applicationId: application.value.id,
      assurance: assuranceClaims(proved),
      issuedAtSeconds,
      lifetimeSeconds,
    })()
    if (isLeft(signed)) return signed
    const recorded = await pipe(
      record(
        enrolmentFacts({
          user,
          factor,
          codes: codes?.record,
          own: {
            session,
            application: application.value,
            methods: METHODS,
            authenticatedAtSeconds: issuedAtSeconds,
          },
        }),
        { kind: 'user', id: user.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    const { token, expiresAtSeconds } = signed.right
    return right({
      id: factor.id,
      kind: factor.kind,
      name: factor.name,
      token,
      expiresInSeconds: expiresAtSeconds - issuedAtSeconds,
      recoveryCodes: fromNullable(codes?.texts),
      ...sessionAssurance(proved),
    })
  }

import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { chain, fromEither, fromNullable, isNone, none, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Assurance, assuranceClaims, type Methods, sessionAssurance } from '../../domain/assurance.ts'
import { type FactorKind, isDue } from '../../domain/factor.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { steppedUp } from '../../domain/step-up.ts'
import { acceptStep, candidatesAt, normalizedCode, stepAt } from '../../domain/totp.ts'
import {
  ENROLMENT_SECONDS,
  enrolmentSecret,
  enrolmentSubject,
  type TotpEnrolmentProblem,
  type TotpEnrolmentRequest,
  validateTotpEnrolment,
} from '../../domain/totp-enrolment.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import { enrolmentFacts } from '../recording/factor-facts.ts'
import type { NewFactor } from '../recording/facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { openSealed } from '../recording/sealed-state.ts'
import type { SignUserToken } from '../sessions/sign-user-token.ts'
import { changeOwnFactors, type OwnFactors } from './change-own-factors.ts'
import { type NewRecoveryCodes, newRecoveryCodes } from './new-recovery-codes.ts'
import { newTotp } from './new-totp.ts'

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
) => TaskEither<Failure, EnrolledFactor>

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

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors' | 'findFactor'>
  sealing: Sealing
  wrapping: KeyWrapping
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
}>

export const completeTotpEnrolment =
  (dependencies: Dependencies): CompleteTotpEnrolment =>
  (context, caller, request) =>
    changeOwnFactors(dependencies, (own) => completeOnce(dependencies, { context, request, own }))(caller)

/** A request with the session, the user and the factors as last read. */
type Attempt = Readonly<{ context: RequestContext; request: TotpEnrolmentRequest; own: OwnFactors }>

const completeOnce =
  (dependencies: Dependencies, attempt: Attempt): TaskEither<Failure | Conflict, EnrolledFactor> =>
  async () => {
    const { request, own } = attempt
    const enrolment = openedOf(dependencies, request.enrolment, own)
    const step = pipe(
      enrolment,
      chain((secret) => stepOf(dependencies, request.totp, secret)),
    )
    const valid = validateTotpEnrolment(request, { enrolment, step })
    if (isLeft(valid)) return left(invalid(valid.left))
    const isFirst = !isDue(own.factors)
    const codes = isFirst ? await newRecoveryCodes(dependencies, own.user.id)() : right(undefined)
    if (isLeft(codes)) return codes
    const { enrolment: secret, step: mark, name } = valid.right
    const factor = newTotp(dependencies, { userId: own.user.id, secret, mark, name })
    return enrol(dependencies, attempt, { factor, codes: codes.right })()
  }

const openedOf = (
  dependencies: Dependencies,
  enrolment: Field,
  { user, session }: OwnFactors,
): Option<Uint8Array> => {
  const about = enrolmentSubject({ user, sessionId: session.id })
  return pipe(
    openSealed(dependencies, enrolment, { about, lifetimeSeconds: ENROLMENT_SECONDS }),
    chain(({ parts }) => enrolmentSecret(parts)),
  )
}

/** The step of a right code. No code of this secret was accepted before, so there is no mark. */
const stepOf = ({ clock, digests }: Dependencies, totp: Field, secret: Uint8Array): Option<number> => {
  if (!isPresent(totp)) return none
  const nowStep = stepAt(clock() / 1000)
  const candidates = candidatesAt(nowStep, (message) => digests.hmacSha1(secret, message))
  return fromEither(acceptStep({ candidates, code: normalizedCode(totp), mark: 0, nowStep }))
}

/** What the user has proved in the session. */
const METHODS: Methods = 'password totp'

/** Signs first, so that no factor is enrolled if signing fails. */
const enrol =
  (
    { signUserToken, clock, record }: Dependencies,
    { context, own: { user, session, application } }: Attempt,
    { factor, codes }: Readonly<{ factor: NewFactor; codes: NewRecoveryCodes | undefined }>,
  ): TaskEither<InvalidToken | Conflict | KeyUnusable | StoreUnavailable, EnrolledFactor> =>
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

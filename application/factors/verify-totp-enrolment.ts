import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { chain, fromEither, none, type Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { acceptStep, candidatesAt, normalizedCode, stepAt } from '../../domain/totp.ts'
import {
  ENROLMENT_SECONDS,
  type EnrollingApp,
  enrollingApp,
  enrolmentSubject,
  type TotpEnrolmentProblem,
  type TotpEnrolmentRequest,
  validateTotpEnrolment,
} from '../../domain/totp-enrolment.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Sealing } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewFactor } from '../recording/facts.ts'
import { openSealed, type StateKind } from '../recording/sealed-state.ts'
import type { OwnFactors } from './change-own-factors.ts'
import { codesOfFirstFactor, type NewRecoveryCodes } from './new-recovery-codes.ts'
import { newTotp } from './new-totp.ts'

/** What the judgement of an enrolment needs. */
export type EnrolmentJudging = Readonly<{
  store: Pick<Store, 'findFactor'>
  sealing: Sealing
  wrapping: KeyWrapping
  clock: Clock
  random: Random
  digests: Digests
}>

/** An app to enrol, and the recovery codes that come with the first factor. */
export type VerifiedEnrolment = Readonly<{ factor: NewFactor; codes: NewRecoveryCodes | undefined }>

/** Judges the code of a started enrolment. It writes nothing: the caller records the new factor. */
export const verifyTotpEnrolment =
  (
    dependencies: EnrolmentJudging,
    request: TotpEnrolmentRequest,
    { caller, factors }: OwnFactors,
  ): TaskEither<Invalid<TotpEnrolmentProblem> | StoreUnavailable, VerifiedEnrolment> =>
  async () => {
    const enrolment = openEnrolment(dependencies, request.enrolment, caller)
    const step = pipe(
      enrolment,
      chain(({ secret }) => stepOf(dependencies, request.totp, secret)),
    )
    const valid = validateTotpEnrolment(request, { enrolment, step })
    if (isLeft(valid)) return left(invalid(valid.left))
    const userId = caller.user.id
    const codes = await codesOfFirstFactor(dependencies, { userId, factors })()
    if (isLeft(codes)) return codes
    const { enrolment: app, step: mark, name } = valid.right
    const factor = newTotp(dependencies, { userId, id: app.factorId, secret: app.secret, mark, name })
    return right({ factor, codes: codes.right })
  }

/** Returns what an enrolment in this session is sealed for, and how long it lasts. */
export const enrolmentOf = ({ user, session }: UserCaller): StateKind => ({
  about: enrolmentSubject({ user, sessionId: session.id }),
  lifetimeSeconds: ENROLMENT_SECONDS,
})

/** Returns the app of a started enrolment. */
export const openEnrolment = (
  dependencies: Readonly<{ sealing: Sealing; clock: Clock }>,
  enrolment: Field,
  caller: UserCaller,
): Option<EnrollingApp> =>
  pipe(
    openSealed(dependencies, enrolment, enrolmentOf(caller)),
    chain(({ parts }) => enrollingApp(parts)),
  )

/** The step of a right code. No code of this secret was accepted before, so there is no mark. */
const stepOf = ({ clock, digests }: EnrolmentJudging, totp: Field, secret: Uint8Array): Option<number> => {
  const nowStep = stepAt(clock() / 1000)
  const candidates = candidatesAt(nowStep, (message) => digests.hmacSha1(secret, message))
  return pipe(
    isPresent(totp) ? normalizedCode(totp) : none,
    chain((code) => fromEither(acceptStep({ candidates, code, mark: 0, nowStep }))),
  )
}

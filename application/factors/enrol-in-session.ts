import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable, isNone, type Option } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import {
  type Assurance,
  assuranceClaims,
  isPasskeyAlone,
  type SecondMethod,
  sessionAssurance,
  withSecond,
} from '../../domain/assurance.ts'
import type { FactorKind } from '../../domain/factor.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { Roles } from '../../domain/roles.ts'
import { steppedUp } from '../../domain/step-up.ts'
import { signSessionToken } from '../keys/sign-session-token.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock } from '../ports/environment.ts'
import type { Conflict, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import { enrolmentFacts } from '../recording/factor-facts.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { VerifiedEnrolment } from './verify-totp-enrolment.ts'

/** `recoveryCodes` come with the first factor, and are shown once. `expiresInSeconds` is as after a step-up. */
export type EnrolledFactor = Readonly<{
  id: string
  kind: FactorKind
  name: string
  token: string
  expiresInSeconds: number
  roles: Roles
  recoveryCodes: Option<ReadonlyArray<string>>
}> &
  Assurance

/** What enrolment in a session needs. */
export type EnrollingInSession = Readonly<{
  signUserToken: SignUserToken
  clock: Clock
  record: Recorder
  settings: LifetimeSettings
}>

/** Records a judged enrolment, and goes on with the session. It signs first, so that no factor is enrolled if signing fails. */
export const enrolInSession =
  (
    { clock, record, ...signing }: EnrollingInSession,
    {
      context,
      caller,
      proved: used,
    }: Readonly<{ context: RequestContext; caller: UserCaller; proved: SecondMethod }>,
    { factor, codes }: VerifiedEnrolment,
  ): TE.TaskEither<InvalidToken | Conflict | KeyUnusable | StoreUnavailable, EnrolledFactor> =>
  async () => {
    const { user, session, application } = caller
    const issuedAtSeconds = Math.floor(clock() / 1000)
    if (isNone(application)) return left({ _tag: 'InvalidToken' })
    // A session that a passkey alone opened has no password in it.
    const methods = isPasskeyAlone(session) ? 'verified_passkey' : withSecond(session, used)
    const proved = steppedUp(session, { methods, authenticatedAtSeconds: issuedAtSeconds })
    const signed = await signSessionToken(signing, caller, {
      assurance: assuranceClaims(proved),
      issuedAtSeconds,
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
            methods,
            authenticatedAtSeconds: issuedAtSeconds,
          },
        }),
        { kind: 'user', id: user.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    return right({
      id: factor.id,
      kind: factor.kind,
      name: factor.name,
      ...signed.right,
      roles: user.roles,
      recoveryCodes: fromNullable(codes?.texts),
      ...sessionAssurance(proved),
    })
  }

import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { Application } from '../../domain/application.ts'
import { type AssuranceClaims, reaches, tokenAssurance } from '../../domain/assurance.ts'
import { type Field, type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { type LifetimeSettings, lifetimesOf } from '../../domain/lifetimes.ts'
import { type Renewal, type RenewalProblem, renewalOf } from '../../domain/renewal.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import { lacksVerifiedEmail } from '../../domain/sign-in.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import type { SignedIn } from './open-session.ts'
import type { ValidateToken } from './validate-token.ts'

/**
 * Renews the session of a user token, for the application that opened it: a service that merely sees the token cannot prolong it
 * (docs/sessions.md). The token may have expired while its session lives. An ended session never becomes alive again. One below the assurance that its application requires is not renewed, nor one without the verified e-mail that it requires.
 */
export type RenewSession = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: Readonly<{ token: Field }>,
) => TE.TaskEither<Invalid<RenewalProblem> | KeyUnusable | Overloaded | StoreUnavailable, SignedIn>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  validateToken: ValidateToken
  signUserToken: SignUserToken
  clock: Clock
  record: Recorder
  settings: LifetimeSettings
}>

export const renewSession =
  (dependencies: Dependencies): RenewSession =>
  (context, caller, { token }) => {
    if (!isPresent(token)) return TE.left(invalid<RenewalProblem>(['TokenMissing']))
    return pipe(
      dependencies.validateToken(token, { mayBeExpired: true }),
      TE.chainW((active) => (active.kind === 'user' ? TE.right(active.caller) : UNUSABLE)),
      TE.chainW((presenting) =>
        retryOnSessionConflict(dependencies.store, (facts) =>
          renewOnce(dependencies, { context, caller, presented: presenting.presented, facts }),
        )(presenting),
      ),
      TE.mapLeft((failure) =>
        failure._tag === 'InvalidToken' || failure._tag === 'InactiveToken' ? UNUSABLE_TOKEN : failure,
      ),
    )
  }

const UNUSABLE_TOKEN = invalid<RenewalProblem>(['TokenUnusable'])
const UNUSABLE = TE.left(UNUSABLE_TOKEN)

type Attempt = Readonly<{
  context: RequestContext
  caller: ApplicationCaller
  /** What the old token says of the authentication. The new one says the same: a renewal must not make a stolen token fresh. */
  presented: AssuranceClaims
  facts: SessionFacts
}>

/** A session that may be renewed, its application, and what the renewal gives. */
type Decided = Readonly<{ application: Application; renewal: Renewal; issuedAtSeconds: number }>

/**
 * Decides whether an application may renew a session.
 *
 * @param acr the level that the renewed token or refresh token says
 */
export const decideRenewal = (
  facts: SessionFacts,
  {
    applicationId,
    acr,
    now,
    settings,
  }: Readonly<{ applicationId: string; acr: string; now: number; settings: LifetimeSettings }>,
): Either<NonEmptyArray<RenewalProblem>, Decided> => {
  const { session, user, application } = facts
  if (isNone(application) || application.value.id !== applicationId || !isAlive(facts, now))
    return left(['TokenUnusable'])
  if (lacksVerifiedEmail(application.value, user)) return left(['TokenUnusable'])
  if (!reaches(acr, application.value.requiredAssurance)) return left(['AssuranceTooLow'])
  const issuedAtSeconds = Math.floor(now)
  const lifetimes = lifetimesOf(application.value, settings, session.remembered)
  const renewal = renewalOf(session, lifetimes, issuedAtSeconds)
  return isSome(renewal)
    ? right({ application: application.value, renewal: renewal.value, issuedAtSeconds })
    : left(['TokenUnusable'])
}

/** Records a renewal that moves the expiry of its session. */
export const recordRenewal = (
  record: Recorder,
  context: RequestContext,
  { session, user }: SessionFacts,
  { application, renewal }: Decided,
): TE.TaskEither<Conflict | StoreUnavailable, void> =>
  renewal.isWritten
    ? pipe(
        record(
          [
            {
              _tag: 'SessionRenewed',
              session,
              user,
              application,
              expiresAtSeconds: renewal.sessionExpiresAtSeconds,
            },
          ],
          { kind: 'application', id: application.id },
          context,
        ),
        neverFailsWith('EmailTaken'),
      )
    : TE.right(undefined)

/** Signs first, so that no renewal is recorded if signing fails. */
const renewOnce =
  (
    { signUserToken, clock, record, settings }: Dependencies,
    { context, caller, presented, facts }: Attempt,
  ): TE.TaskEither<Invalid<RenewalProblem> | Conflict | KeyUnusable | StoreUnavailable, SignedIn> =>
  async () => {
    const { session, user } = facts
    const applicationId = caller.application.id
    const decided = decideRenewal(facts, { applicationId, acr: presented.acr, now: clock() / 1000, settings })
    if (isLeft(decided)) return left({ _tag: 'Invalid', problems: decided.left })
    const { issuedAtSeconds, renewal } = decided.right
    const signed = await signUserToken({
      user,
      sessionId: session.id,
      applicationId,
      assurance: presented,
      issuedAtSeconds,
      lifetimeSeconds: renewal.lifetimeSeconds,
    })()
    if (isLeft(signed)) return signed
    const { token, expiresAtSeconds } = signed.right
    const recorded = await recordRenewal(record, context, facts, decided.right)()
    if (isLeft(recorded)) return recorded
    return right({
      sessionId: session.id,
      token,
      expiresInSeconds: expiresAtSeconds - issuedAtSeconds,
      sessionExpiresInSeconds: renewal.sessionExpiresAtSeconds - issuedAtSeconds,
      userId: user.id,
      emailVerified: user.emailVerified,
      roles: user.roles,
      ...tokenAssurance(presented),
    })
  }

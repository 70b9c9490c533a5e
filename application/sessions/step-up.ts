import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Assurance, assuranceClaims, sessionAssurance } from '../../domain/assurance.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import { type StepUpProblem, type StepUpRequest, steppedUp, validateStepUp } from '../../domain/step-up.ts'
import type { Clock } from '../ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { noteOwnPasswordRefusal, verifyOwnPassword } from '../throttling/own-password.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import type { SignUserToken } from './sign-user-token.ts'

/**
 * Authenticates a signed-in user again, who repeats the password, and returns a new token of the same session (docs/assurance.md). Neither
 * the expiry nor the end of the session moves.
 *
 * If the password changes meanwhile, the old one is wrong. If the session ends otherwise, its token is invalid.
 */
export type StepUp = (
  context: RequestContext,
  caller: UserCaller,
  request: StepUpRequest,
) => TaskEither<Failure, SteppedUp>

/** `expiresInSeconds` is the rest of the session, unless the signing key ends earlier. */
export type SteppedUp = Readonly<{ token: string; expiresInSeconds: number }> & Assurance

type Failure =
  | Invalid<StepUpProblem>
  | InvalidToken
  | Throttled
  | HashingRefused
  | KeyUnusable
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  hasher: PasswordHasher
  signUserToken: SignUserToken
  clock: Clock
  record: Recorder
  refusals: Refusals
  throttle: Throttle
}>

export const stepUp =
  (dependencies: Dependencies): StepUp =>
  (context, caller, request) =>
  async () => {
    const verify = verifyingOnce(dependencies, context)
    const step = (facts: SessionFacts) => stepUpOnce(dependencies, { context, request, facts, verify })
    const stepped = await retryOnSessionConflict(dependencies.store, step)(caller)()
    if (isLeft(stepped)) noteOwnPasswordRefusal(dependencies.refusals, stepped.left, { context, caller })
    return stepped
  }

/** A request with the session and user as last read. */
type Attempt = Readonly<{
  context: RequestContext
  request: StepUpRequest
  facts: SessionFacts
  verify: ReturnType<typeof verifyingOnce>
}>

/** A conflict costs no second hash, unless the password has changed. */
const verifyingOnce = (dependencies: Dependencies, context: RequestContext) => {
  let matching: string | undefined
  return (password: string, facts: SessionFacts): ReturnType<typeof verifyOwnPassword> =>
    async () => {
      if (facts.user.passwordRecord === matching) return right(true)
      const matches = await verifyOwnPassword(dependencies, { password, context, facts })()
      if (isRight(matches) && matches.right) matching = facts.user.passwordRecord
      return matches
    }
}

const stepUpOnce =
  (dependencies: Dependencies, attempt: Attempt): TaskEither<Failure | Conflict, SteppedUp> =>
  async () => {
    const { request, facts, verify } = attempt
    // After a conflict the user may be removed, and has no password to compare.
    if (facts.user.status === 'removed') return INVALID_TOKEN
    const { password } = request
    const matches = isPresent(password) ? await verify(password, facts)() : right(false)
    if (isLeft(matches)) return matches
    const valid = validateStepUp(request, matches.right)
    // After a conflict the session may have ended. A wrong password takes precedence.
    return isLeft(valid) ? left(invalid(valid.left)) : continueSession(dependencies, attempt)()
  }

const INVALID_TOKEN = left<InvalidToken>({ _tag: 'InvalidToken' })

/** Signs first, so that no step-up is recorded if signing fails. */
const continueSession =
  (
    { signUserToken, clock, record }: Dependencies,
    { context, facts }: Attempt,
  ): TaskEither<InvalidToken | Conflict | KeyUnusable | StoreUnavailable, SteppedUp> =>
  async () => {
    const { session, user, application } = facts
    const now = clock() / 1000
    const authenticatedAtSeconds = Math.floor(now)
    const lifetimeSeconds = session.expiresAtSeconds - authenticatedAtSeconds
    if (isNone(application) || !isAlive(facts, now) || lifetimeSeconds <= 0) return INVALID_TOKEN
    const signed = await signUserToken({
      userId: user.id,
      sessionId: session.id,
      applicationId: application.value.id,
      assurance: assuranceClaims(steppedUp(session, authenticatedAtSeconds)),
      issuedAtSeconds: authenticatedAtSeconds,
      lifetimeSeconds,
    })()
    if (isLeft(signed)) return signed
    const fact = {
      _tag: 'SessionSteppedUp',
      session,
      user,
      application: application.value,
      authenticatedAtSeconds,
    } as const
    const recorded = await pipe(
      record([fact], { kind: 'user', id: user.id }, context),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    const { token, expiresAtSeconds } = signed.right
    return right({
      token,
      expiresInSeconds: expiresAtSeconds - authenticatedAtSeconds,
      ...sessionAssurance(session),
    })
  }

import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import {
  type Assurance,
  assuranceClaims,
  isPasskeyAlone,
  methodsAfter,
  type SecondMethod,
  sessionAssurance,
} from '../../domain/assurance.ts'
import { type FactorUse, isDue } from '../../domain/factor.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import { CHALLENGES_FOR } from '../../domain/passkey.ts'
import type { Roles } from '../../domain/roles.ts'
import type { Proof } from '../../domain/second-factor.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import {
  type IdentityAgain,
  type StepUpProblem,
  type StepUpRequest,
  steppedUp,
  validateStepUp,
} from '../../domain/step-up.ts'
import { hasPassword } from '../../domain/user.ts'
import type { Identities } from '../factors/identity-transaction.ts'
import { type Passkeys, passkeysAt } from '../factors/passkey-ceremony.ts'
import { proveIdentityAgain } from '../factors/prove-identity-again.ts'
import { proveSecondFactor } from '../factors/prove-second-factor.ts'
import { type PasskeyCeremony, type Unproven, verifyProof } from '../factors/verify-proof.ts'
import { signSessionToken } from '../keys/sign-session-token.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import { noteOwnPasswordRefusal, verifyOwnPassword } from '../passwords/own-password.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { ProviderUnavailable } from '../ports/identity-provider.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken, KeyUnusable } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'

/**
 * Authenticates a signed-in user again, who repeats the password, a sign-in at a provider, or a second factor, and returns a new token of the same session
 * (docs/assurance.md). Neither the expiry nor the end of the session moves.
 *
 * While a second factor is due, neither the password nor an identity is enough: none of them is even compared.
 *
 * If the password changes meanwhile, the old one is wrong. If the session ends otherwise, its token is invalid.
 */
export type StepUp = (
  context: RequestContext,
  caller: UserCaller,
  request: StepUpRequest,
) => TE.TaskEither<Failure, SteppedUp>

/** `expiresInSeconds` is the rest of the session, unless the lifetime of user tokens or the signing key ends earlier. */
export type SteppedUp = Readonly<{ token: string; expiresInSeconds: number; roles: Roles }> & Assurance

type Failure =
  | Invalid<StepUpProblem>
  | InvalidToken
  | ProviderUnavailable
  | Throttled
  | HashingRefused
  | KeyUnusable
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors' | 'findFactor'>
  hasher: PasswordHasher
  signUserToken: SignUserToken
  clock: Clock
  digests: Digests
  wrapping: KeyWrapping
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  identities: Identities | undefined
  settings: LifetimeSettings
}>

export const stepUp =
  (dependencies: Dependencies): StepUp =>
  (context, caller, request) => {
    const valid = validateStepUp(request)
    if (isLeft(valid)) return TE.left(invalid(valid.left))
    const repeated = valid.right
    switch (repeated.method) {
      case 'password':
        return stepUpWithPassword(dependencies, { context, caller, password: repeated.sent })
      case 'identity':
        return stepUpWithIdentity(dependencies, { context, caller, again: repeated })
      default:
        return stepUpWithProof(dependencies, { context, caller, proof: repeated })
    }
  }

type Call = Readonly<{ context: RequestContext; caller: UserCaller }>

const stepUpWithPassword =
  (
    dependencies: Dependencies,
    { context, caller, password }: Call & Readonly<{ password: string }>,
  ): TE.TaskEither<Failure, SteppedUp> =>
  async () => {
    const verify = verifyingOnce(dependencies, { password, context })
    const step = (facts: SessionFacts): TE.TaskEither<Failure | Conflict, SteppedUp> => {
      // After a conflict the user may be removed, and has no password to compare.
      if (facts.user.status === 'removed') return INVALID_TOKEN
      return pipe(
        checkPassword(dependencies, { facts, verify }),
        // After a conflict the session may have ended. A wrong password takes precedence.
        TE.chainW(() => continueSession(dependencies, { context, facts, proved: 'password' })),
      )
    }
    const stepped = await retryOnSessionConflict(dependencies.store, step)(caller)()
    if (isLeft(stepped)) noteOwnPasswordRefusal(dependencies.refusals, stepped.left, { context, caller })
    return stepped
  }

/** A conflict costs no second hash, unless the password has changed. */
const verifyingOnce = (
  dependencies: Dependencies,
  attempt: Readonly<{ password: string; context: RequestContext }>,
) => {
  let matching: string | undefined
  return (facts: SessionFacts): ReturnType<typeof verifyOwnPassword> =>
    async () => {
      if (facts.user.passwordRecord === matching) return right(true)
      const matches = await verifyOwnPassword(dependencies, { ...attempt, facts })()
      if (isRight(matches) && matches.right && hasPassword(facts.user)) matching = facts.user.passwordRecord
      return matches
    }
}

const checkPassword = (
  { store }: Pick<Dependencies, 'store'>,
  { facts, verify }: Readonly<{ facts: SessionFacts; verify: ReturnType<typeof verifyingOnce> }>,
): TE.TaskEither<Failure, void> => {
  const refuse = (problem: StepUpProblem) => TE.left(invalid([problem]))
  return pipe(
    store.listFactors(facts.user.id),
    TE.chainW((factors) =>
      isDue(factors)
        ? refuse('PasswordNotEnough')
        : pipe(
            verify(facts),
            TE.chainW((matches) => (matches ? TE.right(undefined) : refuse('PasswordWrong'))),
          ),
    ),
  )
}

const stepUpWithIdentity = (
  dependencies: Dependencies,
  { context, caller, again }: Call & Readonly<{ again: IdentityAgain }>,
): TE.TaskEither<Failure, SteppedUp> => {
  const isNotDue = ({ user }: SessionFacts): TE.TaskEither<Failure, void> =>
    pipe(
      dependencies.store.listFactors(user.id),
      TE.chainW((factors) =>
        isDue(factors) ? TE.left(invalid<StepUpProblem>(['IdentityNotEnough'])) : TE.right(undefined),
      ),
    )
  return pipe(
    isNotDue(caller),
    TE.chainW(() => proveIdentityAgain(dependencies, caller, again, context)),
    TE.chainW(({ readFactor }) =>
      retryOnSessionConflict(
        dependencies.store,
        (facts): TE.TaskEither<Failure | Conflict, SteppedUp> =>
          pipe(
            isNotDue(facts),
            TE.chainW(() => readFactor(facts)),
            TE.chainW((factor) =>
              continueSession(dependencies, { context, facts, proved: 'identity', used: { factor } }),
            ),
          ),
      )(caller),
    ),
  )
}

const stepUpWithProof = (
  dependencies: Dependencies,
  { context, caller, proof }: Call & Readonly<{ proof: Proof }>,
): TE.TaskEither<Failure, SteppedUp> => {
  const { id } = caller.user
  const step = (facts: SessionFacts): TE.TaskEither<Failure | Unproven | Conflict, SteppedUp> =>
    isAlive(facts, dependencies.clock() / 1000)
      ? pipe(
          verifyProof(dependencies, { userId: id, proof, ceremony: ceremonyIn(dependencies, facts) }),
          TE.chainW(({ second, ...used }) =>
            continueSession(dependencies, { context, facts, proved: second, used }),
          ),
        )
      : INVALID_TOKEN
  return proveSecondFactor<Failure, SteppedUp>(
    dependencies,
    { userId: id, proof, network: [], actor: { kind: 'user', id }, context },
    retryOnSessionConflict(dependencies.store, step)(caller),
  )
}

/** Challenges are made for the session, at the origins of the application that opened it. */
const ceremonyIn = (
  { passkeys }: Pick<Dependencies, 'passkeys'>,
  { session, application }: SessionFacts,
): PasskeyCeremony | undefined => {
  const usable = isSome(application) ? passkeysAt(passkeys, application.value) : undefined
  return (
    usable && {
      passkeys: usable,
      about: CHALLENGES_FOR.stepUp(session.id),
      needsVerification: isPasskeyAlone(session),
    }
  )
}

const INVALID_TOKEN = TE.left<InvalidToken>({ _tag: 'InvalidToken' })

/** How the user was authenticated again. */
type Authenticated = Readonly<{
  context: RequestContext
  facts: SessionFacts
  proved: 'password' | 'identity' | SecondMethod
  used?: FactorUse
}>

/** Signs first, so that no step-up is recorded if signing fails. */
const continueSession =
  (
    { clock, record, ...signing }: Dependencies,
    { context, facts, proved, used }: Authenticated,
  ): TE.TaskEither<InvalidToken | Conflict | KeyUnusable | StoreUnavailable, SteppedUp> =>
  async () => {
    const { session, user, application } = facts
    const now = clock() / 1000
    const authenticatedAtSeconds = Math.floor(now)
    if (isNone(application) || !isAlive(facts, now)) return INVALID_TOKEN()
    const methods = methodsAfter(session, proved)
    const again = steppedUp(session, { methods, authenticatedAtSeconds })
    const signed = await signSessionToken(signing, facts, {
      assurance: assuranceClaims(again),
      issuedAtSeconds: authenticatedAtSeconds,
    })()
    if (isLeft(signed)) return signed
    const fact: Fact = {
      _tag: 'SessionSteppedUp',
      session,
      user,
      application: application.value,
      methods,
      authenticatedAtSeconds,
    }
    const recorded = await pipe(
      record(
        used === undefined ? [fact] : [{ _tag: 'FactorUsed', user, ...used }, fact],
        { kind: 'user', id: user.id },
        context,
      ),
      neverFailsWith('EmailTaken'),
    )()
    if (isLeft(recorded)) return recorded
    return right({
      ...signed.right,
      roles: user.roles,
      ...sessionAssurance(again),
    })
  }

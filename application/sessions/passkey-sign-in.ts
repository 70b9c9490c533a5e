import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { FactorFacts } from '../../domain/factor.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import { CHALLENGES_FOR, PASSKEY_SECONDS, passkeyId, passkeySubject } from '../../domain/passkey.ts'
import { type AssertionOptions, signInOptions } from '../../domain/passkey-options.ts'
import { type PasskeySignInProblem, validatePasskeySignIn } from '../../domain/passkey-sign-in.ts'
import { judgeAssertion } from '../factors/judge-passkey.ts'
import {
  newChallenge,
  type Passkeys,
  type PasskeysOff,
  type PasskeysOfPages,
  requirePasskeysAt,
} from '../factors/passkey-ceremony.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { RefusalFact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { endUserKeys, type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { openSession, type SignedIn } from './open-session.ts'
import type { SignUserToken } from './sign-user-token.ts'

/** Makes the options of a sign-in with a passkey alone (docs/second-factor.md). They tell nothing about any account, and nothing is stored. */
export type StartPasskeySignIn = (caller: ApplicationCaller) => TE.TaskEither<PasskeysOff, StartedAssertion>

export type StartedAssertion = Readonly<{ options: AssertionOptions; expiresInSeconds: number }>

export const startPasskeySignIn =
  (
    dependencies: Readonly<{ clock: Clock; random: Random; passkeys: Passkeys | undefined }>,
  ): StartPasskeySignIn =>
  ({ application }) =>
    pipe(
      requirePasskeysAt(dependencies.passkeys, application),
      TE.map((passkeys) => ({
        options: signInOptions(
          newChallenge(dependencies, passkeys, CHALLENGES_FOR.signIn(application.id)),
          passkeys.rpId,
        ),
        expiresInSeconds: PASSKEY_SECONDS,
      })),
    )

/**
 * Signs a user in with a passkey that verified its user. No password is needed, and the session is of assurance level 2.
 *
 * Of several concurrent uses of one answer one succeeds. All refusals look the same to the caller; the log tells them apart.
 */
export type CompletePasskeySignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  credential: Field,
) => TE.TaskEither<Failure, SignedIn>

type Failure =
  | Invalid<PasskeySignInProblem>
  | PasskeysOff
  | Throttled
  | KeyUnusable
  | Overloaded
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  settings: LifetimeSettings
}>

export const completePasskeySignIn =
  (dependencies: Dependencies): CompletePasskeySignIn =>
  (context, caller, sent) =>
    pipe(
      requirePasskeysAt(dependencies.passkeys, caller.application),
      TE.chainW((passkeys): TE.TaskEither<Failure, SignedIn> => {
        const note = (fact: RefusalFact): void =>
          dependencies.refusals.note(fact, { kind: 'application', id: caller.application.id }, context)
        const valid = validatePasskeySignIn(sent)
        if (isLeft(valid)) {
          note({ _tag: 'SecondFactorRefused', userId: undefined, reason: 'missing_field' })
          return TE.left(invalid(valid.left))
        }
        const attempt = { context, caller, credential: valid.right, passkeys }
        return async () => {
          const proven = await withThrottle(
            dependencies.throttle,
            endUserKeys(context, caller.application.id),
            { check: prove(dependencies, attempt), isSuccess: isRight },
          )()
          if (isLeft(proven)) return proven
          if (isRight(proven.right)) return proven.right
          note(proven.right.left)
          return left(invalid<PasskeySignInProblem>(['PasskeyRefused']))
        }
      }),
    )

type Attempt = Readonly<{
  context: RequestContext
  caller: ApplicationCaller
  credential: string
  passkeys: PasskeysOfPages
}>

type Proven = Either<RefusalFact, SignedIn>

/** A refusal is an outcome, because it counts. */
const prove = (
  dependencies: Dependencies,
  attempt: Attempt,
): TE.TaskEither<KeyUnusable | Overloaded | StoreUnavailable, Proven> => {
  const named = attempt.passkeys.verifier.credentialIdOf(attempt.credential)
  const read = (): TE.TaskEither<StoreUnavailable, Option<FactorFacts>> =>
    isNone(named)
      ? TE.right(none)
      : dependencies.store.findFactor(passkeyId(dependencies.digests.sha256(passkeySubject(named.value))))
  return pipe(
    read(),
    TE.chainW(
      retryOnConflict(read, (facts: Option<FactorFacts>) => signInOnce(dependencies, attempt, facts)),
    ),
  )
}

const signInOnce =
  (
    dependencies: Dependencies,
    { context, caller: { application }, credential, passkeys }: Attempt,
    facts: Option<FactorFacts>,
  ): TE.TaskEither<Conflict | KeyUnusable | StoreUnavailable, Proven> =>
  async () => {
    const refuse = (userId: string | undefined, reason: Reason) =>
      right(left<RefusalFact>({ _tag: 'SecondFactorRefused', userId, reason }))
    if (isNone(facts) || facts.value.factor.removed) return refuse(undefined, 'unknown_credential')
    const { factor, user } = facts.value
    const judged = await judgeAssertion(
      { ...dependencies, passkeys },
      {
        credential,
        about: CHALLENGES_FOR.signIn(application.id),
        factor,
        userId: user.id,
        isAlone: true,
      },
    )()
    if (isLeft(judged)) return refuse(user.id, judged.left)
    if (user.status !== 'enabled')
      return right(left({ _tag: 'SignInRefused', userId: user.id, reason: 'user_disabled' }))
    const { counterWentBack, factor: used } = judged.right
    const opened = await openSession(
      {
        ...dependencies,
        write: (written) =>
          pipe(
            dependencies.record(written, { kind: 'application', id: application.id }, context),
            neverFailsWith('EmailTaken'),
          ),
      },
      {
        user,
        application,
        label: none,
        methods: 'verified_passkey',
        used: { factor: used, ...(counterWentBack ? { counterWentBack } : {}) },
      },
    )()
    if (isLeft(opened)) return opened
    await dependencies.throttle.forget({ kind: 'second_factor', userId: user.id })()
    return right(right(opened.right))
  }

type Reason = Extract<RefusalFact, { _tag: 'SecondFactorRefused' }>['reason']

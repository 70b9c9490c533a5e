import { isLeft, left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, getOrElseW, isNone, type Option, toUndefined } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import { withSecond } from '../../domain/assurance.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { LifetimeSettings } from '../../domain/lifetimes.ts'
import type { OneTimeTokenFacts } from '../../domain/one-time-token.ts'
import { CHALLENGES_FOR } from '../../domain/passkey.ts'
import type { SecondFactorRefusal } from '../../domain/refusal-reasons.ts'
import {
  isWaiting,
  type Proof,
  type SecondFactorProblem,
  type SecondFactorRequest,
  validateSecondFactor,
} from '../../domain/second-factor.ts'
import { type Passkeys, passkeysAt } from '../factors/passkey-ceremony.ts'
import { proveSecondFactor } from '../factors/prove-second-factor.ts'
import { type Unproven, verifyProof } from '../factors/verify-proof.ts'
import type { SignUserToken } from '../keys/sign-user-token.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { findPresented } from '../recording/one-time-tokens.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'
import { endUserKeys } from '../throttling/throttle-key.ts'
import { openSession, type SignedIn } from './open-session.ts'

/**
 * Completes a sign-in that waits for the second factor (docs/second-factor.md).
 *
 * Of several concurrent uses of a token, or of a code, one succeeds. The others find it used.
 */
export type CompleteSignIn = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: SecondFactorRequest,
) => TE.TaskEither<Failure, SignedIn>

type Failure = Invalid<SecondFactorProblem> | Throttled | KeyUnusable | Overloaded | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findOneTimeToken' | 'listFactors' | 'listSessions' | 'findSession'>
  signUserToken: SignUserToken
  clock: Clock
  random: Random
  digests: Digests
  wrapping: KeyWrapping
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  passkeys: Passkeys | undefined
  settings: LifetimeSettings
}>

export const completeSignIn =
  (dependencies: Dependencies): CompleteSignIn =>
  (context, caller, request) => {
    const { refusals, clock } = dependencies
    const actor = { kind: 'application', id: caller.application.id } as const
    const read = findPresented(dependencies, 'sign_in', request.token)
    const usableNow = (presented: Option<OneTimeTokenFacts>) =>
      filter(isWaiting(caller.application, clock() / 1000))(presented)
    const refuse = (
      presented: Option<OneTimeTokenFacts>,
      problems: Invalid<SecondFactorProblem>['problems'],
    ) => {
      const reason: SecondFactorRefusal = problems.includes('TokenEnded') ? 'token_ended' : 'missing_field'
      const userId = toUndefined(presented)?.user.id
      refusals.note({ _tag: 'SecondFactorRefused', userId, reason }, actor, context)
      return left(invalid(problems))
    }
    const complete =
      (proof: Proof) =>
      (presented: Option<OneTimeTokenFacts>): TE.TaskEither<Failure | Unproven | Conflict, SignedIn> => {
        const waiting = usableNow(presented)
        return isNone(waiting)
          ? TE.fromEither(refuse(presented, ['TokenEnded'])) // another request used it meanwhile
          : completeOnce(dependencies, { context, caller, proof, waiting: waiting.value })
      }
    return async () => {
      const presented = await read()
      if (isLeft(presented)) return presented
      const valid = validateSecondFactor(request, usableNow(presented.right))
      if (isLeft(valid)) return refuse(presented.right, valid.left)
      const { proof, waiting } = valid.right
      const network = endUserKeys(context, caller.application.id)
      return pipe(
        presented.right,
        retryOnConflict(() => read, complete(proof)),
        (prove) =>
          proveSecondFactor(dependencies, { userId: waiting.user.id, proof, network, actor, context }, prove),
      )()
    }
  }

type Attempt = Readonly<{
  context: RequestContext
  caller: ApplicationCaller
  proof: Proof
  waiting: OneTimeTokenFacts
}>

const completeOnce = (
  dependencies: Dependencies,
  { context, caller: { application }, proof, waiting: { token, user } }: Attempt,
): TE.TaskEither<Unproven | Conflict | Throttled | KeyUnusable | StoreUnavailable, SignedIn> => {
  const passkeys = passkeysAt(dependencies.passkeys, application)
  const ceremony = passkeys && { passkeys, about: CHALLENGES_FOR.secondFactor(token.id) }
  return pipe(
    verifyProof(dependencies, { userId: user.id, proof, ceremony }),
    TE.chainW(({ second, ...used }) =>
      openSession(
        {
          ...dependencies,
          write: (facts) =>
            pipe(
              dependencies.record(facts, { kind: 'application', id: application.id }, context),
              neverFailsWith('EmailTaken'),
            ),
        },
        {
          user,
          application,
          label: token.label,
          remember: token.remembered,
          methods: withSecond({ methods: getOrElseW(() => 'password' as const)(token.first) }, second),
          used: { ...used, token },
          context,
        },
      ),
    ),
  )
}

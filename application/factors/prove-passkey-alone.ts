import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isNone, none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Application } from '../../domain/application.ts'
import type { Actor } from '../../domain/event.ts'
import type { FactorFacts, FactorUse } from '../../domain/factor.ts'
import { type Field, type Invalid, invalid } from '../../domain/field.ts'
import { passkeyId, passkeySubject } from '../../domain/passkey.ts'
import { type PasskeySignInProblem, validatePasskeySignIn } from '../../domain/passkey-sign-in.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import { lacksVerifiedEmail } from '../../domain/sign-in.ts'
import type { User } from '../../domain/user.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { RefusalFact } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { retryOnConflict, type Tagged } from '../recording/retry-on-conflict.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { ThrottleKey } from '../throttling/throttle-key.ts'
import type { PasskeysOfPages } from './passkey-ceremony.ts'
import { verifyPasskeyAssertion } from './verify-passkey-assertion.ts'

type Dependencies = Readonly<{
  store: Pick<Store, 'findFactor'>
  clock: Clock
  digests: Digests
  refusals: Refusals
  throttle: Throttle
}>

/** A credential that shall sign its user in, and what its challenge must have been made for. */
export type PasskeyAlone = Readonly<{
  context: RequestContext
  /** Who sends it, as the log says it. */
  actor: Actor
  network: ReadonlyArray<ThrottleKey>
  application: Application
  credential: Field
  passkeys: PasskeysOfPages
  about: SealedFor
}>

/** The user of a passkey that verified them, and the passkey after its use. */
export type ProvenAlone = Readonly<{ user: User; used: FactorUse }>

/**
 * Lets a passkey alone prove its user, within the limits for guesses. All refusals look the same; the log tells them apart.
 *
 * @param record records the use of the passkey, and what it permits, so that an answer that loses a race is refused
 */
export const provePasskeyAlone = <E extends Tagged, A>(
  dependencies: Dependencies,
  sent: PasskeyAlone,
  record: (proven: ProvenAlone) => TE.TaskEither<E | Conflict, A>,
): TE.TaskEither<E | Invalid<PasskeySignInProblem> | Throttled | Overloaded | StoreUnavailable, A> => {
  const note = (fact: RefusalFact): void => dependencies.refusals.note(fact, sent.actor, sent.context)
  const valid = validatePasskeySignIn(sent.credential)
  if (isLeft(valid)) {
    note({ _tag: 'SecondFactorRefused', userId: undefined, reason: 'missing_field' })
    return TE.left(invalid(valid.left))
  }
  const attempt = { ...sent, credential: valid.right }
  return async () => {
    const check = prove(dependencies, attempt, record)
    const proven = await withThrottle(dependencies.throttle, sent.network, {
      check,
      isSuccess: (outcome: Either<RefusalFact, A>) => isRight(outcome),
    })()
    if (isLeft(proven)) {
      if (proven.left._tag === 'Throttled')
        note({ _tag: 'SecondFactorRefused', userId: undefined, reason: 'too_many_failures' })
      return proven
    }
    if (isRight(proven.right)) return proven.right
    note(proven.right.left)
    return left(invalid<PasskeySignInProblem>(['PasskeyRefused']))
  }
}

type Attempt = Omit<PasskeyAlone, 'credential'> & Readonly<{ credential: string }>

/** A refusal is an outcome, because it counts. */
const prove = <E extends Tagged, A>(
  dependencies: Dependencies,
  attempt: Attempt,
  record: (proven: ProvenAlone) => TE.TaskEither<E | Conflict, A>,
): TE.TaskEither<E | Overloaded | StoreUnavailable, Either<RefusalFact, A>> => {
  const named = attempt.passkeys.verifier.credentialIdOf(attempt.credential)
  const read = (): TE.TaskEither<StoreUnavailable, Option<FactorFacts>> =>
    isNone(named)
      ? TE.right(none)
      : dependencies.store.findFactor(passkeyId(dependencies.digests.sha256(passkeySubject(named.value))))
  const proveOnce = (facts: Option<FactorFacts>): TE.TaskEither<E | Conflict, Either<RefusalFact, A>> =>
    pipe(
      TE.fromTask(verifyOnce(dependencies, attempt, facts)),
      TE.chain(
        (judged): TE.TaskEither<E | Conflict, Either<RefusalFact, A>> =>
          isLeft(judged)
            ? TE.right(judged)
            : pipe(
                record(judged.right),
                TE.chainFirstTaskK(() => forgetGuesses(dependencies, judged.right.user.id)),
                TE.map((recorded) => right(recorded)),
              ),
      ),
    )
  return pipe(read(), TE.chainW(retryOnConflict(read, proveOnce)))
}

const forgetGuesses = ({ throttle }: Pick<Dependencies, 'throttle'>, userId: string) =>
  throttle.forget({ kind: 'second_factor', userId })

const verifyOnce =
  (
    { clock, digests }: Pick<Dependencies, 'clock' | 'digests'>,
    { application, credential, passkeys, about }: Attempt,
    facts: Option<FactorFacts>,
  ) =>
  async (): Promise<Either<RefusalFact, ProvenAlone>> => {
    const refuse = (userId: string | undefined, reason: Reason) =>
      left<RefusalFact>({ _tag: 'SecondFactorRefused', userId, reason })
    if (isNone(facts) || facts.value.factor.removed) {
      const isMalformed = isNone(passkeys.verifier.credentialIdOf(credential))
      return refuse(undefined, isMalformed ? 'invalid_credential' : 'unknown_credential')
    }
    const { factor, user } = facts.value
    const judged = await verifyPasskeyAssertion(
      { clock, digests, passkeys },
      { credential, about, factor, userId: user.id, isAlone: true },
    )()
    if (isLeft(judged)) return refuse(user.id, judged.left)
    const refuseUser = (reason: SignInRefusal) =>
      left<RefusalFact>({ _tag: 'SignInRefused', userId: user.id, reason })
    if (user.status !== 'enabled') return refuseUser('user_disabled')
    if (lacksVerifiedEmail(application, user)) return refuseUser('email_not_verified')
    return right({ user, used: judged.right })
  }

type Reason = Extract<RefusalFact, { _tag: 'SecondFactorRefused' }>['reason']

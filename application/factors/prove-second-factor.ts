import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { SecondFactorRefusal } from '../../domain/refusal-reasons.ts'
import { PROOF_PROBLEMS, type Proof, type ProofProblem } from '../../domain/second-factor.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { ThrottleKey } from '../throttling/throttle-key.ts'
import type { Unproven } from './verify-proof.ts'

/** Who sends a proof, and on which network it counts besides the user. */
type Sender = Readonly<{
  userId: string
  proof: Proof
  network: ReadonlyArray<ThrottleKey>
  actor: Actor
  context: RequestContext
}>

/**
 * Lets a user prove a second factor, within the limits for guesses (docs/contract.md §1.9). A refusal is noted.
 *
 * Only codes of apps can be guessed, so only they count on the user. A success with any factor deletes the count.
 *
 * @param prove judges the proof and records what it permits, so that a proof that loses a race counts as wrong
 */
export const proveSecondFactor = <E extends Readonly<{ _tag: string; outcome?: 'unknown' }>, A>(
  { throttle, refusals }: Readonly<{ throttle: Throttle; refusals: Refusals }>,
  sender: Sender,
  prove: TE.TaskEither<E | Unproven, A>,
): TE.TaskEither<E | Invalid<ProofProblem> | Throttled | StoreUnavailable, A> => {
  const { userId, proof, network } = sender
  const ofUser = { kind: 'second_factor', userId } as const
  const keys = proof.method === 'totp' ? [...network, ofUser] : network
  const note = (reason: SecondFactorRefusal): void =>
    refusals.note({ _tag: 'SecondFactorRefused', userId, reason }, sender.actor, sender.context)
  return async () => {
    const check = pipe(prove, countingGuesses)
    const proven = await withThrottle(throttle, keys, { check, isSuccess: isRight })()
    if (isLeft(proven) && proven.left._tag === 'Throttled') note('too_many_failures')
    const outcome = isLeft(proven) ? proven : proven.right
    if (isRight(outcome)) {
      if (proof.method !== 'totp') await throttle.forget(ofUser)()
      return outcome
    }
    const failure = outcome.left
    if (!isUnproven(failure)) return left(failure)
    note(failure.refusal)
    return left(invalid([PROOF_PROBLEMS[failure.refusal]]))
  }
}

/** A guess is an outcome that counts. `withThrottle` takes back what fails otherwise. */
const countingGuesses = <E extends Readonly<{ _tag: string }>, A>(
  prove: TE.TaskEither<E | Unproven, A>,
): TE.TaskEither<E | Unproven, Either<Unproven, A>> =>
  pipe(
    prove,
    TE.map((proven): Either<Unproven, A> => right(proven)),
    TE.orElse((failure) =>
      isUnproven(failure) && failure.isGuess ? TE.right(left(failure)) : TE.left(failure),
    ),
  )

const isUnproven = <E extends Readonly<{ _tag: string }>>(failure: E | Unproven): failure is Unproven =>
  failure._tag === 'Unproven'

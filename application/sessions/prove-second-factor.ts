import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { chain as chainOption, fromEither, isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { bytesOfBase32 } from '../../domain/base32.ts'
import type { Actor, SecondFactorRefusal } from '../../domain/event.ts'
import type { Factor } from '../../domain/factor.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import { normalized } from '../../domain/recovery-codes.ts'
import {
  type AppCodes,
  acceptRecoveryCode,
  acceptTotp,
  PROOF_PROBLEMS,
  type Proof,
  type ProofProblem,
  type ProofRefusal,
  type UsedFactor,
} from '../../domain/second-factor.ts'
import { candidatesAt, normalizedCode, stepAt } from '../../domain/totp.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, type ThrottleKey, withThrottle } from '../throttling/throttle.ts'

/**
 * The proof is refused.
 *
 * `isGuess` is false if there was nothing to guess: it does not count, so that strangers cannot pause an app that is not enrolled yet.
 */
export type Unproven = Readonly<{ _tag: 'Unproven'; refusal: ProofRefusal; isGuess: boolean }>

type Judging = Readonly<{
  store: Pick<Store, 'listFactors'>
  wrapping: KeyWrapping
  digests: Digests
  clock: Clock
}>

/** Judges a proof by the factors of the user, as they are now. It writes nothing: the caller records the use of the factor. */
export const judgeProof = (
  { store, ...dependencies }: Judging,
  { userId, proof }: Readonly<{ userId: string; proof: Proof }>,
): TE.TaskEither<Unproven | KeyUnusable | StoreUnavailable, UsedFactor> =>
  pipe(
    store.listFactors(userId),
    TE.chainEitherKW((factors) => {
      const { method, sent } = proof
      switch (method) {
        case 'totp':
          return judgeTotp(dependencies, factors, sent)
        case 'recovery_code':
          return judgeRecoveryCode(dependencies, factors, sent)
        case 'credential': // no passkey can be enrolled
          return left(unproven('invalid_credential'))
      }
    }),
  )

const unproven = (refusal: ProofRefusal, isGuess = true): Unproven => ({ _tag: 'Unproven', refusal, isGuess })

type Judged<E = never> = Either<Unproven | E, UsedFactor>

/**
 * An app whose secret cannot be read accepts no code. Only if no secret can be read, the key is to blame: no code was compared, so the
 * answer helps no guess.
 */
const judgeTotp = (
  { wrapping, digests, clock }: Omit<Judging, 'store'>,
  factors: ReadonlyArray<Factor>,
  sent: string,
): Judged<KeyUnusable> => {
  const enrolled = factors.filter(({ kind }) => kind === 'totp')
  const [first] = enrolled
  if (first === undefined) return left(unproven('wrong_code', false))
  const nowStep = stepAt(clock() / 1000)
  const apps = enrolled.flatMap((factor): ReadonlyArray<AppCodes> => {
    const secret = secretOf(wrapping, factor)
    return isSome(secret)
      ? [{ factor, candidates: candidatesAt(nowStep, (message) => digests.hmacSha1(secret.value, message)) }]
      : []
  })
  if (apps.length === 0) return left({ _tag: 'KeyUnusable', kid: first.id })
  const accepted = acceptTotp(apps, normalizedCode(sent), nowStep)
  if (isLeft(accepted)) return left(unproven(accepted.left))
  const { factor, methods } = accepted.right
  return right({ factor: wellWrapped(wrapping, factor), methods })
}

const about = ({ id }: Factor) => ({ kid: id, purpose: 'totp' }) as const

const secretOf = (wrapping: KeyWrapping, factor: Factor) =>
  pipe(fromEither(wrapping.unwrap(factor.material, about(factor))), chainOption(bytesOfBase32))

/** Each use writes the row, so it also wraps an outdated secret again. */
const wellWrapped = (wrapping: KeyWrapping, factor: Factor): Factor => {
  if (wrapping.assess(factor.material, about(factor)) !== 'outdated') return factor
  const secret = wrapping.unwrap(factor.material, about(factor))
  return isRight(secret) ? { ...factor, material: wrapping.wrap(secret.right, about(factor)) } : factor
}

const judgeRecoveryCode = (
  { digests }: Pick<Judging, 'digests'>,
  factors: ReadonlyArray<Factor>,
  sent: string,
): Judged => {
  const codes = factors.find(({ kind }) => kind === 'recovery_codes')
  const accepted = acceptRecoveryCode(codes, digests.sha256(normalized(sent)))
  return isLeft(accepted) ? left(unproven(accepted.left)) : accepted
}

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

import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { chain as chainOption, fromEither, isNone, isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { bytesOfBase32 } from '../../domain/base32.ts'
import type { Factor } from '../../domain/factor.ts'
import { passkeyId, passkeySubject } from '../../domain/passkey.ts'
import { isPossibleCode, normalized } from '../../domain/recovery-codes.ts'
import {
  type AppCodes,
  acceptRecoveryCode,
  acceptTotp,
  type Proof,
  type ProofRefusal,
  type UsedFactor,
} from '../../domain/second-factor.ts'
import { candidatesAt, normalizedCode, stepAt } from '../../domain/totp.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { KeyWrapping } from '../ports/key-wrapping.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { KeyUnusable } from '../ports/token-format.ts'
import type { PasskeysOfPages } from './passkey-ceremony.ts'
import { verifyPasskeyAssertion } from './verify-passkey-assertion.ts'
import { withCurrentWrapping, wrappedKeyOf } from './wrapped-secret.ts'

/**
 * The proof is refused.
 *
 * `isGuess` is false if there was nothing to guess, or the text cannot be a code. It does not count: strangers cannot pause an app that
 * is not enrolled yet, and a slip of the keyboard brings no pause nearer.
 */
export type Unproven = Readonly<{ _tag: 'Unproven'; refusal: ProofRefusal; isGuess: boolean }>

type Judging = Readonly<{
  store: Pick<Store, 'listFactors'>
  wrapping: KeyWrapping
  digests: Digests
  clock: Clock
}>

/** Judges a proof by the factors of the user, as they are now. It writes nothing: the caller records the use of the factor. */
export const verifyProof = (
  { store, ...dependencies }: Judging,
  { userId, proof, ceremony }: ProofAttempt,
): TE.TaskEither<Unproven | KeyUnusable | StoreUnavailable, UsedFactor> =>
  pipe(
    store.listFactors(userId),
    TE.chainW((factors): TE.TaskEither<Unproven | KeyUnusable, UsedFactor> => {
      const { method, sent } = proof
      switch (method) {
        case 'totp':
          return TE.fromEither(verifyTotp(dependencies, factors, sent))
        case 'recovery_code':
          return TE.fromEither(verifyRecoveryCode(dependencies, factors, sent))
        case 'credential':
          return ceremony === undefined
            ? TE.left(unproven('invalid_credential'))
            : verifyPasskey(dependencies, { ...ceremony, factors, userId, credential: sent })
      }
    }),
  )

/** A proof of a user. `ceremony` is what challenges of passkeys are made for; absent where no passkey can be used. */
type ProofAttempt = Readonly<{ userId: string; proof: Proof; ceremony: PasskeyCeremony | undefined }>

export type PasskeyCeremony = Readonly<{
  passkeys: PasskeysOfPages
  about: SealedFor
  /** No password was proved beside it. */
  needsVerification?: boolean
}>

const unproven = (refusal: ProofRefusal, isGuess = true): Unproven => ({ _tag: 'Unproven', refusal, isGuess })

type Verified<E = never> = Either<Unproven | E, UsedFactor>

/**
 * An app whose secret cannot be read accepts no code. Only if no secret can be read, the key is to blame: no code was compared, so the
 * answer helps no guess.
 */
const verifyTotp = (
  { wrapping, digests, clock }: Omit<Judging, 'store'>,
  factors: ReadonlyArray<Factor>,
  sent: string,
): Verified<KeyUnusable> => {
  const enrolled = factors.filter(({ kind }) => kind === 'totp')
  const [first] = enrolled
  const code = normalizedCode(sent)
  if (first === undefined || isNone(code)) return left(unproven('wrong_code', false))
  const nowStep = stepAt(clock() / 1000)
  const apps = enrolled.flatMap((factor): ReadonlyArray<AppCodes> => {
    const secret = secretOf(wrapping, factor)
    return isSome(secret)
      ? [{ factor, candidates: candidatesAt(nowStep, (message) => digests.hmacSha1(secret.value, message)) }]
      : []
  })
  if (apps.length === 0) return left({ _tag: 'KeyUnusable', kid: first.id })
  const accepted = acceptTotp(apps, code.value, nowStep)
  if (isLeft(accepted)) return left(unproven(accepted.left))
  const { factor, second } = accepted.right
  return right({ factor: withCurrentWrapping(wrapping, factor), second }) // each use writes the row anyway
}

const secretOf = (wrapping: KeyWrapping, factor: Factor) =>
  pipe(fromEither(wrapping.unwrap(factor.material, wrappedKeyOf(factor))), chainOption(bytesOfBase32))

const verifyRecoveryCode = (
  { digests }: Pick<Judging, 'digests'>,
  factors: ReadonlyArray<Factor>,
  sent: string,
): Verified => {
  const codes = factors.find(({ kind }) => kind === 'recovery_codes')
  const code = normalized(sent)
  const accepted = acceptRecoveryCode(codes, digests.sha256(code))
  return isLeft(accepted) ? left(unproven(accepted.left, isPossibleCode(code))) : accepted
}

/** The passkey must be one of the user. Whether another user has it is not looked up. */
const verifyPasskey = (
  { clock, digests }: Pick<Judging, 'clock' | 'digests'>,
  {
    factors,
    passkeys,
    needsVerification = false,
    ...sent
  }: PasskeyCeremony & Readonly<{ factors: ReadonlyArray<Factor>; userId: string; credential: string }>,
): TE.TaskEither<Unproven, UsedFactor> => {
  const named = passkeys.verifier.credentialIdOf(sent.credential)
  const id = isSome(named) ? passkeyId(digests.sha256(passkeySubject(named.value))) : undefined
  const factor = factors.find((one) => one.id === id)
  return factor === undefined
    ? TE.left(unproven(isNone(named) ? 'invalid_credential' : 'unknown_credential'))
    : pipe(
        verifyPasskeyAssertion(
          { clock, digests, passkeys },
          { ...sent, factor, isAlone: false, needsVerification },
        ),
        TE.bimap(
          (refusal) => unproven(refusal),
          (used) => ({ ...used, second: 'passkey' as const }),
        ),
      )
}

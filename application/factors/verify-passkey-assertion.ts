import { type Either, isLeft, left } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Factor, FactorUse } from '../../domain/factor.ts'
import { type AssertionRefusal, acceptAssertion, passkeyCredential } from '../../domain/passkey.ts'
import type { Clock, Digests } from '../ports/environment.ts'
import type { SealedFor } from '../ports/sealing.ts'
import { answeredChallenge, type PasskeysOfPages } from './passkey-ceremony.ts'

/** An assertion, as sent, and the passkey that it names. */
export type SentAssertion = Readonly<{
  credential: string
  /** What the challenge must have been made for. */
  about: SealedFor
  factor: Factor
  /** The user who must own the passkey. */
  userId: string
  isAlone: boolean
  /** The passkey must have verified the user, as one that is alone must. */
  needsVerification?: boolean
}>

/** Judges an assertion. It writes nothing: the caller records the use of the passkey. */
export const verifyPasskeyAssertion =
  (
    { clock, digests, passkeys }: Readonly<{ clock: Clock; digests: Digests; passkeys: PasskeysOfPages }>,
    { credential, about, factor, userId, isAlone, needsVerification = isAlone }: SentAssertion,
  ): Task<Either<AssertionRefusal, FactorUse>> =>
  async () => {
    const { verifier, rpId, origins } = passkeys
    const answered = answeredChallenge({ clock }, passkeys, { credential, about })
    const stored = passkeyCredential(factor.material)
    if (isNone(answered)) return left('wrong_challenge')
    if (isNone(stored)) return left('invalid_credential')
    const { challenge: text, issuedAtMs } = answered.value
    const challenge = { issuedAtMs, digest: digests.sha256(text) }
    const expected = { challenge: text, origins, rpId, requiresUserVerification: needsVerification }
    const verified = await verifier.verifyAssertion(credential, stored.value, expected)()
    return isLeft(verified)
      ? left(verified.left.reason)
      : acceptAssertion({ factor, userId, verified: verified.right, challenge, nowMs: clock(), isAlone })
  }

import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { CHALLENGES_FOR, type ChallengeRefusal, type InvalidAnswer } from '../../domain/passkey.ts'
import {
  type CredentialRefusal,
  type PasskeyEnrolmentProblem,
  type PasskeyEnrolmentRequest,
  validatePasskeyEnrolment,
} from '../../domain/passkey-enrolment.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewFactor } from '../recording/facts.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import type { OwnFactors } from './change-own-factors.ts'
import { newPasskey, passkeyIdOf } from './new-passkey.ts'
import { codesOfFirstFactor } from './new-recovery-codes.ts'
import { answeredChallenge, type PasskeysOfPages } from './passkey-ceremony.ts'
import type { VerifiedEnrolment } from './verify-totp-enrolment.ts'

/** What the judgement of a registration needs. */
export type RegistrationJudging = Readonly<{
  store: Pick<Store, 'findFactor'>
  clock: Clock
  random: Random
  digests: Digests
  refusals: Refusals
}>

/** A registration, as sent, and the origins where it may have been made. */
export type SentRegistration = Readonly<{
  context: RequestContext
  request: PasskeyEnrolmentRequest
  passkeys: PasskeysOfPages
}>

/** Judges the passkey of a started registration. It notes why an answer is refused, and records nothing else. */
export const verifyPasskeyEnrolment =
  (
    dependencies: RegistrationJudging,
    { context, request, passkeys }: SentRegistration,
    { caller, factors }: OwnFactors,
  ): TaskEither<Invalid<PasskeyEnrolmentProblem> | StoreUnavailable, VerifiedEnrolment> =>
  async () => {
    const judged = await verifyCredential(dependencies, {
      credential: request.credential ?? '',
      passkeys,
      caller,
      factors,
    })()
    if (isLeft(judged)) return judged
    const { answer, refusal } = judged.right
    if (refusal !== undefined && isPresent(request.credential)) {
      const { id } = caller.user
      const fact = { _tag: 'SecondFactorRefused', userId: id, reason: refusal } as const
      dependencies.refusals.note(fact, { kind: 'user', id }, context)
    }
    const valid = validatePasskeyEnrolment(request, answer)
    if (isLeft(valid)) return left(invalid(valid.left))
    const codes = await codesOfFirstFactor(dependencies, { userId: caller.user.id, factors })()
    if (isLeft(codes)) return codes
    const { passkey, name } = valid.right
    return right({ factor: { ...passkey, name }, codes: codes.right })
  }

/** Returns what the challenge of a registration in this session is sealed for. */
export const registrationSubject = ({ user, session }: UserCaller): SealedFor =>
  CHALLENGES_FOR.registration({ user, sessionId: session.id })

/** `refusal` says why an answer does not verify. */
type Verified = Readonly<{
  answer: Either<CredentialRefusal, Omit<NewFactor, 'name'>>
  refusal?: InvalidAnswer | ChallengeRefusal
}>

const refused = (refusal: InvalidAnswer | ChallengeRefusal): Either<never, Verified> =>
  right({ answer: left('CredentialInvalid'), refusal })

/**
 * Whether the credential answers a challenge of this session, and is of a passkey that no user has enrolled. A registration that is sent
 * twice has made a passkey of this user already, which ended its challenge.
 */
const verifyCredential =
  (
    { store, clock, digests }: RegistrationJudging,
    {
      credential,
      passkeys,
      caller,
      factors,
    }: Readonly<{ credential: string; passkeys: PasskeysOfPages }> & OwnFactors,
  ): TaskEither<StoreUnavailable, Verified> =>
  async () => {
    const { verifier, rpId, origins } = passkeys
    const named = verifier.credentialIdOf(credential)
    const ownId = isSome(named) && passkeyIdOf({ digests }, { credentialId: named.value })
    if (factors.some(({ id }) => id === ownId)) return right({ answer: left('CredentialYours') })
    const answered = answeredChallenge({ clock }, passkeys, {
      credential,
      about: registrationSubject(caller),
    })
    if (isNone(answered))
      return refused(isNone(verifier.challengeOf(credential)) ? 'invalid_credential' : 'wrong_challenge')
    const { challenge } = answered.value
    const expected = { challenge, origins, rpId, requiresUserVerification: false }
    const verified = await verifier.verifyRegistration(credential, expected)()
    if (isLeft(verified)) return refused(verified.left.reason)
    const registered = verified.right
    const found = await store.findFactor(passkeyIdOf({ digests }, registered))()
    if (isLeft(found)) return found
    const former = isSome(found.right) ? found.right.value.factor : undefined
    if (former?.removed === false)
      return right({ answer: left(former.userId === caller.user.id ? 'CredentialYours' : 'CredentialTaken') })
    const passkey = newPasskey({ digests }, { userId: caller.user.id, passkey: registered, former })
    return right({ answer: right(passkey) })
  }

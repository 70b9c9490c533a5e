import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Invalid, invalid } from '../../domain/field.ts'
import { SECURITY_PAGE } from '../../domain/page-visitor.ts'
import { CHALLENGES_FOR } from '../../domain/passkey.ts'
import {
  type PasskeyEnrolmentProblem,
  type PasskeyEnrolmentRequest,
  validatePasskeyEnrolment,
} from '../../domain/passkey-enrolment.ts'
import type { Clock, Digests, Random } from '../ports/environment.ts'
import type { SealedFor } from '../ports/sealing.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import type { NewFactor } from '../recording/facts.ts'
import type { FactorHolder, OwnFactors } from './change-own-factors.ts'
import type { JudgedEnrolment } from './judge-totp-enrolment.ts'
import { newPasskey, passkeyIdOf } from './new-passkey.ts'
import { codesOfFirstFactor } from './new-recovery-codes.ts'
import { answeredChallenge, type PasskeysOfPages } from './passkey-ceremony.ts'

/** What the judgement of a registration needs. */
export type RegistrationJudging = Readonly<{
  store: Pick<Store, 'findFactor'>
  clock: Clock
  random: Random
  digests: Digests
}>

/** A registration, as sent, and the origins where it may have been made. */
export type SentRegistration = Readonly<{ request: PasskeyEnrolmentRequest; passkeys: PasskeysOfPages }>

/** Judges the passkey of a started registration. It writes nothing: the caller records the new factor. */
export const judgePasskeyEnrolment =
  (
    dependencies: RegistrationJudging,
    { request, passkeys }: SentRegistration,
    { holder, factors }: OwnFactors,
  ): TaskEither<Invalid<PasskeyEnrolmentProblem> | StoreUnavailable, JudgedEnrolment> =>
  async () => {
    const judged = await judgeCredential(dependencies, {
      credential: request.credential ?? '',
      passkeys,
      holder,
    })()
    if (isLeft(judged)) return judged
    const valid = validatePasskeyEnrolment(request, judged.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    const codes = await codesOfFirstFactor(dependencies, { userId: holder.user.id, factors })()
    if (isLeft(codes)) return codes
    const { passkey, name } = valid.right
    return right({ factor: { ...passkey, name }, codes: codes.right })
  }

/** Returns what the challenge of a registration by this holder is sealed for. */
export const registrationSubject = (holder: FactorHolder): SealedFor =>
  CHALLENGES_FOR.registration({
    user: holder.user,
    place: holder.kind === 'user' ? holder.session.id : SECURITY_PAGE,
  })

type Judged = Either<'CredentialInvalid' | 'CredentialTaken', Omit<NewFactor, 'name'>>

/** Whether the credential answers a challenge of this holder, and is of a passkey that no user has enrolled. */
const judgeCredential =
  (
    { store, clock, digests }: RegistrationJudging,
    {
      credential,
      passkeys,
      holder,
    }: Readonly<{ credential: string; passkeys: PasskeysOfPages; holder: FactorHolder }>,
  ): TaskEither<StoreUnavailable, Judged> =>
  async () => {
    const { verifier, rpId, origins } = passkeys
    const answered = answeredChallenge({ clock }, passkeys, {
      credential,
      about: registrationSubject(holder),
    })
    if (isNone(answered)) return right(left('CredentialInvalid'))
    const { challenge } = answered.value
    const expected = { challenge, origins, rpId, requiresUserVerification: false }
    const verified = await verifier.verifyRegistration(credential, expected)()
    if (isLeft(verified)) return right(left('CredentialInvalid'))
    const registered = verified.right
    const found = await store.findFactor(passkeyIdOf({ digests }, registered))()
    if (isLeft(found)) return found
    const former = isSome(found.right) ? found.right.value.factor : undefined
    if (former?.removed === false) return right(left('CredentialTaken'))
    return right(right(newPasskey({ digests }, { userId: holder.user.id, passkey: registered, former })))
  }

import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { base64url, isBase64url } from './base64url.ts'
import { type Factor, type FactorUse, uuidV8 } from './factor.ts'
import { proofVersion, type User } from './user.ts'

/** What a passkey tells of itself, in its registration and in each assertion (WebAuthn Level 3 §6.1). */
export type PasskeyState = Readonly<{
  /** The signature counter: 0 if the authenticator has none. */
  counter: number
  /** The authenticator verified the user, with a PIN or a biometric. */
  verifiesUser: boolean
  /** It may be synced to other devices. */
  backupEligible: boolean
  backedUp: boolean
}>

/** A credential as the store keeps it. None of it is secret. */
export type PasskeyCredential = Readonly<{
  /** In canonical base64url, of 1 to 1,023 bytes. */
  credentialId: string
  /** A COSE_Key (RFC 9052 §7) in base64url. */
  publicKey: string
  /** The relying party that it was made for. */
  rpId: string
}>

/** Whether a text can be a credential id. */
export const isCredentialId = (text: string): boolean =>
  isBase64url(text) && Math.floor((text.length * 3) / 4) <= MAX_ID_BYTES

const MAX_ID_BYTES = 1023

/** The registry of transports (WebAuthn Level 3 §5.8.4), sorted. */
export const TRANSPORTS: ReadonlyArray<string> = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Returns the text of which `passkeyId` takes the digest. */
export const passkeySubject = (credentialId: string): string => `passkey ${credentialId}`

/**
 * Returns the id of the factor of a passkey. It follows from the credential id, so of two users who enrol one credential, one gets a
 * conflict.
 *
 * @param sha256 of `passkeySubject`, in hexadecimal
 */
export const passkeyId = (sha256: string): string => uuidV8(sha256)

/** Returns the material of a factor. */
export const passkeyMaterial = ({ credentialId, publicKey, rpId }: PasskeyCredential): string =>
  [credentialId, publicKey, rpId].join('.')

/** Returns the credential of a material that `passkeyMaterial` wrote. */
export const passkeyCredential = (material: string): Option<PasskeyCredential> => {
  const [credentialId = '', publicKey = '', ...domain] = material.split('.')
  const rpId = domain.join('.')
  return [credentialId, publicKey, rpId].includes('') ? none : some({ credentialId, publicKey, rpId })
}

/** What the flags of a factor say. */
export type PasskeyFlags = Omit<PasskeyState, 'counter'> & Readonly<{ transports: ReadonlyArray<string> }>

/** Returns the flags of a factor: `uv be bs`, those that are set, and the transports. */
export const passkeyFlags = ({ verifiesUser, backupEligible, backedUp, transports }: PasskeyFlags): string =>
  [
    ...(verifiesUser ? ['uv'] : []),
    ...(backupEligible ? ['be'] : []),
    ...(backedUp ? ['bs'] : []),
    ...transports,
  ].join(' ')

/** Returns what the flags of a factor say. */
export const readPasskeyFlags = (flags: string): PasskeyFlags => {
  const words = flags.split(' ')
  return {
    verifiesUser: words.includes('uv'),
    backupEligible: words.includes('be'),
    backedUp: words.includes('bs'),
    transports: words.filter((word) => !['', 'uv', 'be', 'bs'].includes(word)),
  }
}

/** Returns the user handle of a user: the 16 bytes of the id. So it tells nothing about the person. */
export const userHandleOf = (userId: string): string => {
  const digits = userId.replaceAll('-', '')
  return base64url(
    Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
      Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
    ),
  )
}

/** How long a challenge may be answered. */
export const PASSKEY_SECONDS = 300

/** A challenge of the service, which a passkey answers. */
export type AnsweredChallenge = Readonly<{
  /** When the service made it. */
  issuedAtMs: number
  /** SHA-256 in hexadecimal. */
  digest: string
}>

/** How many answered challenges a passkey remembers, at most. */
export const MAX_ANSWERED = 16

/** A verified assertion, and the factor that it is of. */
export type Assertion = Readonly<{
  factor: Factor
  /** The user who must own the passkey. */
  userId: string
  verified: PasskeyState & Readonly<{ userHandle: Option<string> }>
  challenge: AnsweredChallenge
  nowMs: number
  /** The passkey alone signs in: it must say whose it is, and have verified the user. */
  isAlone: boolean
}>

/** Why an answer of a passkey does not verify. `invalid_credential` is every other reason. */
export type InvalidAnswer = 'invalid_credential' | 'wrong_origin' | 'user_not_verified'

/** Why the challenge of an answer does not pass. A wrong one is unknown, has ended, or was made for something else. */
export type ChallengeRefusal = 'wrong_challenge' | 'used_challenge'

/** Why an assertion is refused, as the log says it. */
export type AssertionRefusal = InvalidAnswer | ChallengeRefusal | 'user_mismatch' | 'counter_went_back'

/**
 * Returns the passkey after its use, or why it is refused (WebAuthn Level 3 §7.2).
 *
 * Each challenge is answered once, in any order.
 *
 * Providers make passkeys of one device into synced ones, and back. So a change of that flag is taken over and recorded, although the
 * standard refuses it: the passkey signs the flag.
 *
 * A counter that went back tells of a copy. Passkeys that may be synced are copied on purpose, so for them it is only recorded. The
 * stored counter never falls.
 */
export const acceptAssertion = ({
  factor,
  userId,
  verified,
  challenge,
  nowMs,
  isAlone,
}: Assertion): Either<AssertionRefusal, FactorUse> => {
  const { counter, verifiesUser, backupEligible, backedUp, userHandle } = verified
  const known = readPasskeyFlags(factor.flags)
  if (factor.kind !== 'passkey' || factor.removed || factor.userId !== userId) return left('user_mismatch')
  if (isSome(userHandle) ? userHandle.value !== userHandleOf(userId) : isAlone) return left('user_mismatch')
  const answered = withAnswered(factor, challenge, nowMs)
  if (isNone(answered)) return left('used_challenge')
  if (backedUp && !backupEligible) return left('invalid_credential')
  if (isAlone && !verifiesUser) return left('user_not_verified')
  const counterWentBack = counter <= factor.counter && (counter > 0 || factor.counter > 0)
  if (counterWentBack && !backupEligible) return left('counter_went_back')
  return right({
    factor: {
      ...factor,
      ...answered.value,
      counter: Math.max(counter, factor.counter),
      flags: passkeyFlags({
        ...known,
        verifiesUser: verifiesUser || known.verifiesUser,
        backupEligible,
        backedUp,
      }),
    },
    ...(counterWentBack ? { counterWentBack } : {}),
    ...(backupEligible === known.backupEligible ? {} : { backupEligible }),
  })
}

/**
 * Returns the factor's memory of challenges with one more: none if it was answered before.
 *
 * It holds the newest challenges that can still be answered. The mark stands for all others: challenges up to it are refused. A mark far
 * in the future comes from a clock that was wrong, and is ignored.
 */
const withAnswered = (
  { answered, mark }: Factor,
  { issuedAtMs, digest }: AnsweredChallenge,
  nowMs: number,
): Option<Pick<Factor, 'answered' | 'mark'>> => {
  const known = answered === '' ? [] : answered.split(' ')
  const name = `${issuedAtMs}.${digest.slice(0, 16)}`
  const validMark = mark > nowMs + PASSKEY_SECONDS * 1000 ? 0 : mark
  if (known.includes(name) || issuedAtMs <= validMark) return none
  const all = [...known, name].sort((one, other) => issuedAt(one) - issuedAt(other))
  const kept = all.filter((one) => issuedAt(one) > nowMs - PASSKEY_SECONDS * 1000).slice(-MAX_ANSWERED)
  const dropped = all.slice(0, all.length - kept.length)
  return some({ answered: kept.join(' '), mark: Math.max(validMark, ...dropped.map(issuedAt)) })
}

/** `12345.0123456789abcdef` is the challenge of this digest, made at 12345. */
const issuedAt = (answered: string): number => Number.parseInt(answered, 10)

type ProvedUser = Pick<User, 'id' | 'passwordVersion' | 'allEndedVersion'>

/** What the challenge of each ceremony is sealed for. So none is answered in another ceremony, session or application. */
export const CHALLENGES_FOR = {
  /**
   * A change of the password or of the factors ends it. It also ends with its session, and when all sessions are ended together.
   */
  registration: ({ user, sessionId }: Readonly<{ user: ProvedUser; sessionId: string }>) => [
    'passkey_registration',
    user.id,
    sessionId,
    proofVersion(user),
  ],
  signIn: (applicationId: string) => ['passkey_sign_in', applicationId],
  secondFactor: (tokenId: string) => ['passkey_second_factor', tokenId],
  stepUp: (sessionId: string) => ['passkey_step_up', sessionId],
} as const

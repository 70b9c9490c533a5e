import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { InvalidAnswer, PasskeyCredential, PasskeyState } from '../../domain/passkey.ts'

/**
 * Verifies passkeys (WebAuthn Level 3 §7). It proves that an authenticator answered, for which origin, with which key. Whether the challenge
 * was ours and is unused, whose passkey it is, and what its counter means, is for the domain to say.
 *
 * A credential is the JSON text of `PublicKeyCredential.toJSON()`, as a client sent it. No method throws, for any text.
 */
export interface PasskeyVerifier {
  /**
   * Returns the passkey that a registration made.
   *
   * Only the attestations `none` and `packed` by the passkey itself pass. Others need certificates, and some make implementations open
   * connections. Only public keys that are valid and strong pass: P-256, Ed25519, RSA of 2,048 to 4,096 bits.
   */
  verifyRegistration(text: string, expected: ExpectedCeremony): TaskEither<InvalidPasskey, RegisteredPasskey>

  /** Returns what the passkey says, after its signature was verified. Any counter passes. */
  verifyAssertion(
    text: string,
    credential: PasskeyCredential,
    expected: ExpectedCeremony,
  ): TaskEither<InvalidPasskey, VerifiedAssertion>

  /** Reads the credential id, in canonical base64url, without verification. */
  credentialIdOf(text: string): Option<string>

  /** Reads the challenge, in canonical base64url, without verification. */
  challengeOf(text: string): Option<string>
}

export type ExpectedCeremony = Readonly<{
  /** In base64url. */
  challenge: string
  /** The page must be of one of them, and not within a frame of another origin. */
  origins: ReadonlyArray<string>
  rpId: string
  /** User presence is always required. */
  requiresUserVerification: boolean
}>

export type RegisteredPasskey = PasskeyCredential &
  PasskeyState &
  Readonly<{
    /** How a browser reaches the authenticator, sorted. Only names of the registry of WebAuthn. */
    transports: ReadonlyArray<string>
  }>

export type VerifiedAssertion = PasskeyState &
  Readonly<{
    /** The user that the passkey was made for, in canonical base64url. None if the authenticator did not say. */
    userHandle: Option<string>
  }>

/** Apart from `received`, it has nothing of the input in it. */
export type InvalidPasskey = Readonly<{ _tag: 'InvalidPasskey' }> &
  (
    | Readonly<{
        /** `user_not_verified`: all else was right. */
        reason: Exclude<InvalidAnswer, 'wrong_origin'>
      }>
    | Readonly<{
        /** None of the permitted ones, or in a frame of another origin. The signature was not verified. */
        reason: 'wrong_origin'
        /** The origin that the client named. It may be any text. */
        received: string
        isFramed: boolean
      }>
  )

import { type Either, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fromNullable } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  ExpectedCeremony,
  InvalidPasskey,
  PasskeyVerifier,
  RegisteredPasskey,
  VerifiedAssertion,
} from '../../../application/ports/passkey-verifier.ts'
import { type PasskeyCredential, TRANSPORTS } from '../../../domain/passkey.ts'
import {
  type Assertion,
  type Attestation,
  type Credential,
  readAssertion,
  readAttestation,
} from './credential.ts'
import { ALGORITHMS, isStrong } from './public-key.ts'

type Library = Readonly<{
  server: typeof import('@simplewebauthn/server')
  helpers: typeof import('@simplewebauthn/server/helpers')
}>

/** Loads the library, which takes longer than all else that a start loads. So only a service with passkeys does it. */
export const loadPasskeyVerifier = async (): Promise<PasskeyVerifier> =>
  passkeyVerifier({
    server: await import('@simplewebauthn/server'),
    helpers: await import('@simplewebauthn/server/helpers'),
  })

const passkeyVerifier = (library: Library): PasskeyVerifier => ({
  verifyRegistration: (text, expected) =>
    verifying(readAttestation(text), expected, (credential) => registered(library, credential, expected)),

  verifyAssertion: (text, stored, expected) =>
    verifying(readAssertion(text), expected, (credential) =>
      asserted(library, { ...credential, stored, expected }),
    ),

  credentialIdOf: (text) => fromNullable(readCredential(text)?.id),

  challengeOf: (text) => fromNullable(readCredential(text)?.challenge),
})

/** An assertion or a registration. */
const readCredential = (text: string) => readAssertion(text) ?? readAttestation(text)

/** The messages of the library contain parts of the input, so they are dropped. */
const verifying = <Answer, A>(
  credential: Credential<Answer> | undefined,
  { origins }: ExpectedCeremony,
  verify: (credential: Credential<Answer>) => Promise<Either<Reason, A>>,
): TE.TaskEither<InvalidPasskey, A> => {
  if (credential === undefined) return TE.left(invalid('invalid_credential'))
  const { origin: received, isFramed } = credential
  if (isFramed || !origins.includes(received))
    return TE.left({ _tag: 'InvalidPasskey', reason: 'wrong_origin', received, isFramed })
  return pipe(
    TE.tryCatch(
      () => verify(credential),
      () => invalid('invalid_credential'),
    ),
    TE.chainEitherK(mapLeft(invalid)),
  )
}

type Reason = Exclude<InvalidPasskey['reason'], 'wrong_origin'>

const invalid = (reason: Reason): InvalidPasskey => ({ _tag: 'InvalidPasskey', reason })

const registered = async (
  { server, helpers }: Library,
  { id, answer }: Credential<Attestation>,
  { challenge, origins, rpId, requiresUserVerification }: ExpectedCeremony,
): Promise<Either<Reason, RegisteredPasskey>> => {
  const { clientDataJSON, attestationObject, transports } = answer
  const attestation = helpers.decodeAttestationObject(bytesOf(attestationObject))
  if (!isPermitted(attestation)) return left('invalid_credential')
  const { credentialPublicKey } = helpers.parseAuthenticatorData(attestation.get('authData'))
  if (credentialPublicKey === undefined || !isStrong(helpers.decodeCredentialPublicKey(credentialPublicKey)))
    return left('invalid_credential')
  const { verified, registrationInfo } = await server.verifyRegistrationResponse({
    response: { ...credentialOf(id), response: { clientDataJSON, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: false, // so that it is told from other reasons
    supportedAlgorithmIDs: Object.values(ALGORITHMS),
  })
  if (!verified || registrationInfo.credential.id !== id) return left('invalid_credential')
  const { credential, userVerified, credentialDeviceType, credentialBackedUp } = registrationInfo
  if (requiresUserVerification && !userVerified) return left('user_not_verified')
  return right({
    credentialId: id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    rpId,
    counter: credential.counter,
    verifiesUser: userVerified,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    transports: TRANSPORTS.filter((name) => transports.includes(name)),
  })
}

/**
 * Attestations with certificates are refused before the library sees them: it would trust built-in roots, and download revocation lists.
 */
const isPermitted = (
  attestation: Readonly<{ get(key: 'fmt'): string; get(key: 'attStmt'): unknown }>,
): boolean => {
  const format = attestation.get('fmt')
  const statement = attestation.get('attStmt')
  if (!(statement instanceof Map)) return false
  const members = [...statement.keys()].sort().join()
  return (format === 'none' && members === '') || (format === 'packed' && members === 'alg,sig')
}

const asserted = async (
  { server }: Library,
  {
    id,
    answer: { userHandle, ...response },
    stored,
    expected: { challenge, origins, rpId, requiresUserVerification },
  }: Credential<Assertion> & Readonly<{ stored: PasskeyCredential; expected: ExpectedCeremony }>,
): Promise<Either<Reason, VerifiedAssertion>> => {
  if (id !== stored.credentialId || rpId !== stored.rpId) return left('invalid_credential')
  const { verified, authenticationInfo } = await server.verifyAuthenticationResponse({
    response: { ...credentialOf(id), response },
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: false, // so that it is told from other reasons
    // With the stored counter, the library would compare it before the signature.
    credential: { id, publicKey: bytesOf(stored.publicKey), counter: 0 },
  })
  if (!verified) return left('invalid_credential')
  const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo
  if (requiresUserVerification && !userVerified) return left('user_not_verified')
  return right({
    counter: newCounter,
    verifiesUser: userVerified,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    userHandle: fromNullable(userHandle),
  })
}

const credentialOf = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
})

/** In its own buffer, as the library wants it. */
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'))

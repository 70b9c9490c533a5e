import { isSome } from 'fp-ts/lib/Option.js'
import type { Factor } from './factor.ts'
import { PASSKEY_SECONDS, passkeyCredential, readPasskeyFlags, userHandleOf } from './passkey.ts'
import type { User } from './user.ts'

/** A credential as options name it (WebAuthn Level 3 §5.10.3). */
type Descriptor = Readonly<{ type: 'public-key'; id: string; transports: ReadonlyArray<string> }>

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3 §5.1.9. */
export type RegistrationOptions = Readonly<{
  rp: Readonly<{ id: string; name: string }>
  user: Readonly<{ id: string; name: string; displayName: string }>
  challenge: string
  pubKeyCredParams: ReadonlyArray<Readonly<{ type: 'public-key'; alg: number }>>
  timeout: number
  excludeCredentials: ReadonlyArray<Descriptor>
  authenticatorSelection: Readonly<{ residentKey: 'preferred'; userVerification: 'preferred' }>
  attestation: 'none'
}>

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3 §5.1.10. */
export type AssertionOptions = Readonly<{
  challenge: string
  timeout: number
  rpId: string
  allowCredentials: ReadonlyArray<Descriptor>
  userVerification: 'required' | 'discouraged'
}>

/** ES256, EdDSA, RS256: with these, each common authenticator can answer. */
const ALGORITHMS = [-7, -8, -257]

const TIMEOUT_MS = PASSKEY_SECONDS * 1000

/** Returns the options of a registration. An authenticator with a passkey of the user refuses to make another one. */
export const registrationOptions = ({
  challenge,
  rpId,
  rpName,
  user,
  factors,
}: Readonly<{
  challenge: string
  rpId: string
  rpName: string
  user: Pick<User, 'id' | 'email'>
  factors: ReadonlyArray<Factor>
}>): RegistrationOptions => ({
  rp: { id: rpId, name: rpName },
  user: { id: userHandleOf(user.id), name: user.email, displayName: user.email },
  challenge,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT_MS,
  excludeCredentials: descriptorsOf(factors),
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  attestation: 'none',
})

/** Returns the options of a sign-in with a passkey alone. They are the same for all users. */
export const signInOptions = (challenge: string, rpId: string): AssertionOptions => ({
  challenge,
  timeout: TIMEOUT_MS,
  rpId,
  allowCredentials: [],
  userVerification: 'required',
})

/**
 * Returns the options of a second step or a step-up. They name the passkeys of the user, because some are not discoverable.
 *
 * @param needsVerification whether no password was proved in the session. Then a touch is not enough
 */
export const secondFactorOptions = ({
  challenge,
  rpId,
  factors,
  needsVerification = false,
}: Readonly<{
  challenge: string
  rpId: string
  factors: ReadonlyArray<Factor>
  needsVerification?: boolean
}>): AssertionOptions => ({
  challenge,
  timeout: TIMEOUT_MS,
  rpId,
  allowCredentials: descriptorsOf(factors),
  userVerification: needsVerification ? 'required' : 'discouraged',
})

const descriptorsOf = (factors: ReadonlyArray<Factor>): ReadonlyArray<Descriptor> =>
  factors.flatMap(({ kind, material, flags }): ReadonlyArray<Descriptor> => {
    const credential = kind === 'passkey' ? passkeyCredential(material) : undefined
    return credential !== undefined && isSome(credential)
      ? [
          {
            type: 'public-key',
            id: credential.value.credentialId,
            transports: readPasskeyFlags(flags).transports,
          },
        ]
      : []
  })

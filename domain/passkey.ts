/** What a passkey tells of itself, in its registration and in each assertion (WebAuthn Level 3 §6.1). */
export type PasskeyState = Readonly<{
  /** The signature counter: 0 if the authenticator has none. */
  counter: number
  /** The authenticator verified the user, with a PIN or a biometric. */
  verifiesUser: boolean
  /** It may be synced to other devices. This never changes. */
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

import type { IsStrongKey } from '../../../domain/passkey-import.ts'
import { isStrong } from './public-key.ts'

/** Loads what decodes public keys. It takes as long as the verifier, so only an import of passkeys does it. */
export const loadKeyCheck = async (): Promise<IsStrongKey> => {
  const { decodeCredentialPublicKey, isoCBOR } = await import('@simplewebauthn/server/helpers')
  return (publicKey) => {
    const bytes = Uint8Array.from(Buffer.from(publicKey, 'base64url'))
    try {
      const key = decodeCredentialPublicKey(bytes)
      // A registration stores the key as the library encodes it. So nothing follows it, and each key has one text.
      return key instanceof Map && isStrong(key) && Buffer.from(isoCBOR.encode(key)).equals(bytes)
    } catch {
      return false // the message has parts of the input
    }
  }
}

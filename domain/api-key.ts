import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { randomSecret, SECRET_BYTES, secretPattern } from './random-secret.ts'

/**
 * API keys of an application (docs/contract.md §2.2).
 *
 * - public: `pk_` + the application's id. It names the application and is not secret.
 * - private: `sk_` + a random secret.
 */
export type PublicApiKey = `pk_${string}`
export type PrivateApiKey = `sk_${string}`

/** The number of random bytes in a private key. */
export const PRIVATE_KEY_BYTES = SECRET_BYTES

const APPLICATION_ID = /^pk_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Returns the public key of the application with this id (a UUID). */
export const publicApiKey = (applicationId: string): PublicApiKey => `pk_${applicationId}`

/** Returns the application id in a public key; none if the key is malformed. */
export const applicationIdOf = (publicKey: string): Option<string> => {
  const id = APPLICATION_ID.exec(publicKey)?.[1]
  return id === undefined ? none : some(id)
}

/** Makes a private key from `PRIVATE_KEY_BYTES` random bytes. */
export const privateApiKey = (random: Uint8Array): PrivateApiKey => randomSecret('sk_', random)

/** Whether the text is a well-formed private key with a correct checksum. It does not check who owns the key. */
export const isPrivateApiKey: (text: string) => text is PrivateApiKey = secretPattern('sk_')

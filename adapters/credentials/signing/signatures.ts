import { type KeyObject, sign, verify } from 'node:crypto'

/** The two halves of an Ed25519 key pair, parsed and as base64url. */
export type KeyHalves = Readonly<{
  privateKey: KeyObject
  publicKey: KeyObject
  /** The private key, base64url. */
  d: string
  /** The public key, base64url. */
  x: string
}>

/** Ed25519 signatures (RFC 8032) with one key pair. */
export type Signatures = Readonly<{
  sign: (message: Uint8Array) => Buffer
  /** Returns false for a signature of any wrong length too. */
  verify: (message: Uint8Array, signature: Uint8Array) => boolean
}>

/** The faster implementation: libsodium, or OpenSSL on a platform without a binary of sodium-native. Both return the same bytes. */
export const fastestSignatures = async (halves: KeyHalves): Promise<Signatures> => {
  const sodium = await libsodium()
  return sodium === undefined ? bySynchronousOpenSsl(halves) : byLibsodium(sodium, halves)
}

/** Synchronous node:crypto. WebCrypto queues behind password hashes in the threads of libuv, and takes twice the time. */
export const bySynchronousOpenSsl = ({ privateKey, publicKey }: KeyHalves): Signatures => ({
  sign: (message) => sign(null, message, privateKey),
  verify: (message, signature) =>
    signature.length === SIGNATURE_BYTES && verify(null, message, publicKey, signature),
})

/** Takes half the time of OpenSSL. It also refuses keys of small order, which the service never makes. */
export const byLibsodium = (sodium: Libsodium, { d, x }: KeyHalves): Signatures => {
  const publicKey = Buffer.from(x, 'base64url')
  const secretKey = Buffer.concat([Buffer.from(d, 'base64url'), publicKey])
  return {
    sign: (message) => {
      const signature = Buffer.allocUnsafe(SIGNATURE_BYTES)
      sodium.crypto_sign_detached(signature, message, secretKey)
      return signature
    },
    verify: (message, signature) =>
      signature.length === SIGNATURE_BYTES &&
      sodium.crypto_sign_verify_detached(signature, message, publicKey),
  }
}

export const SIGNATURE_BYTES = 64

/** The part of sodium-native that signs. */
export type Libsodium = Readonly<{
  crypto_sign_detached: (signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array) => void
  crypto_sign_verify_detached: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean
}>

/** Loads sodium-native once, with the first signature: most commands need none. */
export const libsodium = (): Promise<Libsodium | undefined> => {
  loading ??= import('sodium-native').then(
    (loaded) => loaded.default,
    () => undefined,
  )
  return loading
}

let loading: Promise<Libsodium | undefined> | undefined

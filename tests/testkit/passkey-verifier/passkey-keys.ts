import { bytesOf } from '../token-format/web-crypto.ts'
import { type Cbor, joined } from './cbor.ts'

export type PasskeyAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

/** A key pair of an authenticator. `cose` is its public key (RFC 9053 §7, RFC 8230 §4). */
export type PasskeyKeys = Readonly<{
  algorithm: number
  cose: ReadonlyMap<number, Cbor>
  sign: (content: Uint8Array) => Promise<Uint8Array>
}>

/** Makes a key pair with the WebCrypto that every runtime of today has, so that no passkey is judged by the library that made it. */
export const passkeyKeys = async (algorithm: PasskeyAlgorithm): Promise<PasskeyKeys> => {
  const { generate, sign } = ALGORITHMS[algorithm]
  const pair = await crypto.subtle.generateKey(generate, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('a key pair was made of one key')
  const { x = '', y = '', n = '', e = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const signature = async (content: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign(sign, pair.privateKey, Uint8Array.from(content)))
  const head = (type: number, id: number): ReadonlyArray<readonly [number, Cbor]> => [
    [KTY, type],
    [ALG, id],
  ]
  switch (algorithm) {
    case 'ES256':
      return {
        algorithm: -7,
        cose: new Map([...head(2, -7), [-1, 1], [-2, bytesOf(x)], [-3, bytesOf(y)]]),
        sign: async (content) => der(await signature(content)),
      }
    case 'EdDSA':
      return { algorithm: -8, cose: new Map([...head(1, -8), [-1, 6], [-2, bytesOf(x)]]), sign: signature }
    case 'RS256':
      return {
        algorithm: -257,
        cose: new Map([...head(3, -257), [-1, bytesOf(n)], [-2, bytesOf(e)]]),
        sign: signature,
      }
  }
}

const KTY = 1
const ALG = 3

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const ALGORITHMS = {
  ES256: { generate: { name: 'ECDSA', namedCurve: 'P-256' }, sign: { name: 'ECDSA', hash: 'SHA-256' } },
  EdDSA: { generate: { name: 'Ed25519' }, sign: { name: 'Ed25519' } },
  RS256: {
    generate: { ...RSA, modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
    sign: RSA,
  },
}

/** WebCrypto writes both numbers of a signature with 32 bytes, WebAuthn as a DER sequence (RFC 3279 §2.2.3). */
const der = (raw: Uint8Array): Uint8Array => {
  const content = joined(derInteger(raw.subarray(0, 32)), derInteger(raw.subarray(32)))
  return joined(Uint8Array.of(0x30, content.length), content)
}

const derInteger = (bytes: Uint8Array): Uint8Array => {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = bytes.subarray(first)
  const isNegative = (digits[0] ?? 0) >= 128
  const content = isNegative ? joined(Uint8Array.of(0), digits) : digits
  return joined(Uint8Array.of(2, content.length), content)
}

export const sha256 = async (content: string | Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(Buffer.from(content))))

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { IdTokenKey, IdTokenKeys } from '../../../application/ports/id-token-keys.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { canonicalBytes } from '../signing/claims.ts'
import { readOnce } from '../signing/ed25519.ts'

/** The keys of ID tokens. A key's material is its private key as PKCS #8 (RFC 5958), in base64url. */
export const rsaIdTokenKeys = (): IdTokenKeys => {
  const usable = readOnce((key) => (key.purpose === 'id_token' ? readKey(key) : undefined))

  return {
    createKey: async () => {
      const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })
      const material = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')
      return { kid: thumbprint(halvesOf(privateKey)), material }
    },

    load: (key) => {
      const pair = usable(key)
      return pair === undefined ? E.left({ _tag: 'KeyUnusable', kid: key.kid }) : E.right(pair)
    },
  }
}

/** The least that RS256 permits (RFC 7518 §3.3). More makes every signature slower, and no client asks for it. */
const MODULUS_BITS = 2048

/** The key pair of a signing key, if it matches its key id and signs. */
const readKey = ({ kid, material }: SigningKey): IdTokenKey | undefined => {
  const der = canonicalBytes(material)
  if (der === undefined) return undefined
  try {
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey
    if (type !== 'rsa' || details?.modulusLength !== MODULUS_BITS) return undefined
    const { n, e, ...secrets } = halvesOf(privateKey)
    if (thumbprint({ n, e }) !== kid || !signs(privateKey)) return undefined
    const publicJwk = { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' } as const
    return { kid, publicJwk, privateJwk: { ...publicJwk, ...secrets } }
  } catch {
    return undefined
  }
}

/** Parsing does not compare the secret numbers with the public ones. */
const signs = (privateKey: KeyObject): boolean => {
  const message = Buffer.from('portcullis')
  return verify('sha256', message, createPublicKey(privateKey), sign('sha256', message, privateKey))
}

const halvesOf = (privateKey: KeyObject) => {
  const {
    n = '',
    e = '',
    d = '',
    p = '',
    q = '',
    dp = '',
    dq = '',
    qi = '',
  } = privateKey.export({ format: 'jwk' })
  return { n, e, d, p, q, dp, dq, qi }
}

/** The key id: the JWK thumbprint of the public key (RFC 7638 §3.2). */
const thumbprint = ({ n, e }: Readonly<{ n: string; e: string }>): string =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url')

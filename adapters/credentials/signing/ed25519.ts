import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { fastestSignatures, type KeyHalves, type Signatures } from './signatures.ts'

/** An Ed25519 key pair (RFC 8032), also as the members of a JWK (RFC 8037 §2). */
export type Ed25519 = KeyHalves & Readonly<{ signatures: () => Promise<Signatures> }>

export const newEd25519 = (): Ed25519 => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  return pairOf({ privateKey, publicKey, d, x })
}

/** The key pair of these two members, if they match. */
export const ed25519 = (d: string, x: string): Ed25519 | undefined => {
  try {
    const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
    const publicKey = createPublicKey(privateKey)
    return publicKey.export({ format: 'jwk' }).x === x ? pairOf({ privateKey, publicKey, d, x }) : undefined
  } catch {
    return undefined
  }
}

const pairOf = (halves: KeyHalves): Ed25519 => {
  let made: Promise<Signatures> | undefined
  return {
    ...halves,
    signatures: () => {
      made ??= fastestSignatures(halves)
      return made
    },
  }
}

/** The key id: the JWK thumbprint of the public key (RFC 7638, over the members that RFC 8037 §2 requires). */
export const thumbprint = ({ x }: Pick<Ed25519, 'x'>): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')

/**
 * Caches the parsed key of each `SigningKey`, because parsing is slow compared with a signature. The cache holds no
 * key alive.
 */
export const readOnce = <Read extends object>(read: (key: SigningKey) => Read | undefined) => {
  const known = new WeakMap<SigningKey, Read>()
  return (key: SigningKey): Read | undefined => {
    const found = known.get(key) ?? read(key)
    if (found !== undefined) known.set(key, found)
    return found
  }
}

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** A COSE_Key (RFC 9052 §7, RFC 9053 §7), decoded. */
type CoseKey = Readonly<{ get(label: number): unknown }>

/** The labels and values of RFC 9053 §7 and RFC 8230 §4. */
const KTY = 1
const ALG = 3

/** The registered algorithms, by what `alg` says of them. */
export const ALGORITHMS = { eddsa: -8, es256: -7, rs256: -257 } as const

const RSA_BITS = { min: 2048, max: 4096 }

/**
 * Whether a public key is valid and strong: P-256, Ed25519, or RSA of 2,048 to 4,096 bits. The library accepts any key with attestation
 * `none`, and a huge one would cost seconds per signature.
 */
export const isStrong = (key: CoseKey): boolean => {
  const jwk = jwkOf(key)
  const parsed = jwk && imported(jwk)
  if (parsed === undefined) return false
  const { modulusLength, publicExponent } = parsed.asymmetricKeyDetails ?? {}
  if (modulusLength === undefined || publicExponent === undefined) return true
  return modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max && isExponent(publicExponent)
}

/** FIPS 186-5 §5.4: odd, and more than 2^16. Authenticators use 65537. */
const isExponent = (exponent: bigint): boolean =>
  exponent > 65_536n && exponent < 4_294_967_296n && exponent % 2n === 1n

const jwkOf = (key: CoseKey): JsonWebKey | undefined => {
  const at = (label: number) => key.get(label)
  switch (`${at(KTY)} ${at(ALG)} ${isBytes(at(-1)) ? '' : at(-1)}`) {
    case `2 ${ALGORITHMS.es256} 1`:
      return withBytes({ kty: 'EC', crv: 'P-256' }, { x: at(-2), y: at(-3) })
    case `1 ${ALGORITHMS.eddsa} 6`:
      return withBytes({ kty: 'OKP', crv: 'Ed25519' }, { x: at(-2) })
    case `3 ${ALGORITHMS.rs256} `:
      return withBytes({ kty: 'RSA' }, { n: at(-1), e: at(-2) })
    default:
      return undefined
  }
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

const withBytes = (jwk: JsonWebKey, members: Readonly<Record<string, unknown>>): JsonWebKey | undefined => {
  const entries = Object.entries(members)
  return entries.every(([, value]) => isBytes(value) && value.length <= RSA_BITS.max / 8)
    ? { ...jwk, ...Object.fromEntries(entries.map(([name, value]) => [name, encoded(value)])) }
    : undefined
}

const encoded = (value: unknown): string => (isBytes(value) ? Buffer.from(value).toString('base64url') : '')

/** Node refuses a point that is not on the curve. */
const imported = (jwk: JsonWebKey): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { PAE } from 'paseto'
import type { SigningKey } from '../../domain/signing-key.ts'

/** Hand-made tokens: a test can sign with the correct key what no honest signer would sign. */

export const base64url = (content: string | Uint8Array): string => Buffer.from(content).toString('base64url')

export const bytesOf = (base64url: string): Buffer => Buffer.from(base64url, 'base64url')

/** The two halves of a signing key of either kind, in base64url. */
export const halvesOf = ({ material }: SigningKey): Readonly<{ d: string; x: string }> => {
  if (material.startsWith('{')) return JSON.parse(material)
  const bytes = bytesOf(material.slice('k4.secret.'.length))
  return { d: base64url(bytes.subarray(0, 32)), x: base64url(bytes.subarray(32)) }
}

export const privateKeyOf = (key: SigningKey): KeyObject => {
  const { d, x } = halvesOf(key)
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

export const jwtHeader = ({ kid }: SigningKey) => ({ alg: 'EdDSA', typ: 'at+jwt', kid })

/** A JWS in compact form with any signature. */
export const forgeJws = (
  header: string | Uint8Array,
  payload: string | Uint8Array,
  signature: (signed: Buffer) => Uint8Array | string,
): string => {
  const signed = `${base64url(header)}.${base64url(payload)}`
  return `${signed}.${base64url(signature(Buffer.from(signed)))}`
}

/** A JWT signed with the key's Ed25519 half, with any header. */
export const forgeJwt = (
  key: SigningKey,
  payload: string | Uint8Array,
  header: string | Uint8Array = JSON.stringify(jwtHeader(key)),
): string => forgeJws(header, payload, (signed) => sign(null, signed, privateKeyOf(key)))

export const pasetoFooter = ({ kid }: SigningKey): string => JSON.stringify({ kid })

/** A PASETO signed with the key's Ed25519 half, with any header, footer and implicit assertion. */
export const forgePaseto = (
  key: SigningKey,
  payload: string | Uint8Array,
  { header = 'v4.public.', footer = pasetoFooter(key), implicit = '' } = {},
): string => {
  const message = Buffer.from(payload)
  const signed = PAE([Buffer.from(header), message, Buffer.from(footer), Buffer.from(implicit)])
  const body = base64url(Buffer.concat([message, sign(null, signed, privateKeyOf(key))]))
  return header + body + (footer === '' ? '' : `.${base64url(footer)}`)
}

import { createPrivateKey, sign } from 'node:crypto'
import { PAE } from 'paseto'
import type { SigningKey } from '../../domain/signing-key.ts'

/** Tokens put together by hand, so that a test can sign with the right key what no honest signer would. */

export const base64url = (content: string | Uint8Array): string => Buffer.from(content).toString('base64url')

export const jwtHeader = ({ kid }: SigningKey) => ({ alg: 'EdDSA', typ: 'at+jwt', kid })

/** A JWT signed with the key's Ed25519 half, whatever its header says. */
export const forgeJwt = (
  key: SigningKey,
  payload: string | Uint8Array,
  header: string = JSON.stringify(jwtHeader(key)),
): string => {
  const signed = `${base64url(header)}.${base64url(payload)}`
  return `${signed}.${base64url(sign(null, Buffer.from(signed), privateKeyOf(JSON.parse(key.material))))}`
}

export const pasetoFooter = ({ kid }: SigningKey): string => JSON.stringify({ kid })

/** A PASETO signed with the key's Ed25519 half, whatever its header, footer and implicit assertion say. */
export const forgePaseto = (
  key: SigningKey,
  payload: string | Uint8Array,
  { header = 'v4.public.', footer = pasetoFooter(key), implicit = '' } = {},
): string => {
  const message = Buffer.from(payload)
  const bytes = Buffer.from(key.material.slice('k4.secret.'.length), 'base64url')
  const halves = { d: base64url(bytes.subarray(0, 32)), x: base64url(bytes.subarray(32)) }
  const signed = PAE([Buffer.from(header), message, Buffer.from(footer), Buffer.from(implicit)])
  const body = base64url(Buffer.concat([message, sign(null, signed, privateKeyOf(halves))]))
  return header + body + (footer === '' ? '' : `.${base64url(footer)}`)
}

const privateKeyOf = ({ d, x }: { d: string; x: string }) =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })

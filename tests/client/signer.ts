import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { PAE } from 'paseto'

/** A key pair that signs what a test says, in both formats of user tokens. */
export type Signer = Readonly<{
  kid: string
  /** A member of `/.well-known/user-jwks.json`. */
  jwk: object
  /** A member of `/.well-known/paseto-keys.json`. */
  paserk: object
  jwt: (claims: object | string, header?: object) => string
  paseto: (claims: object | string, more?: Readonly<{ prefix?: string; footer?: object | string }>) => string
}>

export const signer = (kid = 'key-1'): Signer => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    kid,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' },
    paserk: { kid, version: 'v4', purpose: 'public', paserk: `k4.public.${x}` },
    jwt: (claims, header = {}) => {
      const head = encoded({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header })
      const signed = `${head}.${encoded(claims)}`
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
    },
    paseto: (claims, { prefix = 'v4.public.', footer = { kid } } = {}) => {
      const message = Buffer.from(textOf(claims))
      const foot = Buffer.from(textOf(footer))
      const signature = sign(null, PAE([Buffer.from(prefix), message, foot, Buffer.alloc(0)]), privateKey)
      const body = Buffer.concat([message, signature]).toString('base64url')
      return `${prefix}${body}.${foot.toString('base64url')}`
    },
  }
}

const textOf = (json: object | string): string => (typeof json === 'string' ? json : JSON.stringify(json))

const encoded = (json: object | string): string => Buffer.from(textOf(json)).toString('base64url')

/** The claims of a user token as JWT, which lives for a minute. */
export const jwtClaims = (issuer: string, nowMs: number) => {
  const now = Math.floor(nowMs / 1000)
  return {
    iss: issuer,
    aud: issuer,
    sub: 'user-1',
    client_id: 'application-1',
    sid: 'session-1',
    iat: now,
    exp: now + 60,
    jti: 'token-1',
    auth_time: now,
    acr: 'aal1',
    amr: ['pwd'],
  }
}

/** The claims of a user token as PASETO, which lives for a minute. */
export const pasetoClaims = (issuer: string, nowMs: number) => {
  const { aud: _, client_id: __, ...claims } = jwtClaims(issuer, nowMs)
  return {
    ...claims,
    iat: rfc3339OfMilliseconds(nowMs),
    exp: rfc3339OfMilliseconds(nowMs + 60_000),
    auth_time: rfc3339OfMilliseconds(nowMs),
  }
}

export const rfc3339OfMilliseconds = (ms: number): string => new Date(ms).toISOString()

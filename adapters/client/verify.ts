import { type Bytes, bytesIn, type JsonObject, jsonIn } from './encoding.ts'
import { wrongIssuer } from './failures.ts'
import { BETWEEN_FETCHES_MS, type KeySet, keySet, type PublicKeys } from './key-set.ts'
import { type Limit, TIME_OVER } from './limit.ts'
import type { Time } from './time.ts'
import type { Acr, Amr } from './vocabulary.ts'

/** What a user token says, if its signature is valid. */
export type VerifiedToken =
  | Readonly<{
      ok: true
      userId: string
      sessionId: string
      /** RFC 3339. */
      issuedAt: string
      /** RFC 3339. */
      expiresAt: string
      /** When the user was authenticated, in RFC 3339. */
      authTime: string
      acr: Acr
      amr: ReadonlyArray<Amr>
      /** The roles of the user when the token was signed. */
      roles: ReadonlyArray<string>
      /** The application that signed the user in; only in JWTs. */
      clientId?: string
    }>
  | Readonly<{ ok: false; refusal: 'invalid_token' }>

/** Clocks of machines differ. */
const TOLERANCE_MS = 5000

/** No token of the service is longer. */
const MAX_LENGTH = 8192

const INVALID = { ok: false, refusal: 'invalid_token' } as const

/**
 * Verifies user tokens offline (docs/verify-user-tokens.md). The beginning of the token chooses format and keys. Each format has one
 * algorithm, and only the keys of user tokens, so an application token is never taken for one.
 */
export const verifier = (
  issuer: string,
  load: Readonly<{
    paseto: () => Promise<PublicKeys>
    jwt: () => Promise<PublicKeys>
    /** What the service calls itself. */
    issuer: () => Promise<unknown>
  }>,
  time: Time,
): ((token: string, limit: Limit) => Promise<VerifiedToken>) => {
  const paseto = keySet(load.paseto, time)
  const jwt = keySet(load.jwt, time)
  const actualIssuer = askedRarely(load.issuer, time)

  return async (token, limit) => {
    if (typeof token !== 'string' || token.length > MAX_LENGTH) return INVALID
    const isPaseto = token.startsWith(PASETO)
    const parts = isPaseto ? pasetoParts(token) : jwtParts(token)
    if (parts === undefined || !(await isSigned(parts, isPaseto ? paseto : jwt, limit))) return INVALID
    const claims = jsonIn(parts.claims)
    const read = isPaseto ? pasetoClaims : jwtClaims
    const verified = read(claims, issuer, time.now())
    if (verified !== undefined) return verified
    // Only the issuer is another one: that of a former PUBLIC_URL, or this program is set wrong, and would refuse every token.
    if (isText(claims.iss) && read(claims, claims.iss, time.now()) !== undefined) {
      const actual = await limit.race(actualIssuer()).catch(undefinedAtItsEnd)
      if (isText(actual) && actual !== issuer) throw wrongIssuer(issuer, actual)
    }
    return INVALID
  }
}

/** A token of another issuer is refused, whether or not the service says what it calls itself. */
const undefinedAtItsEnd = (error: unknown): undefined => {
  if (error !== TIME_OVER) throw error
}

/** Asks at most every 30 seconds. Concurrent calls share one request. Resolves with undefined if that fails. */
const askedRarely = (ask: () => Promise<unknown>, { now }: Time): (() => Promise<unknown>) => {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<unknown>
  return () => {
    if (now() - askedAt >= BETWEEN_FETCHES_MS) {
      askedAt = now()
      answer = ask().catch(() => undefined)
    }
    return answer
  }
}

type Parts = Readonly<{ kid: string; signed: Bytes; signature: Bytes; claims: Bytes }>

const isSigned = async ({ kid, signed, signature }: Parts, keys: KeySet, limit: Limit): Promise<boolean> => {
  const key = await limit.race(keys.find(kid))
  return key !== undefined && crypto.subtle.verify('Ed25519', key, signature, signed)
}

const PASETO = 'v4.public.'

/** The parts of `v4.public.BODY.FOOTER`. The footer names a key, and is not trusted before the signature is verified. */
const pasetoParts = (token: string): Parts | undefined => {
  const [body = '', footerText = '', ...rest] = token.slice(PASETO.length).split('.')
  const message = bytesIn(body)
  const footer = bytesIn(footerText)
  const { kid } = jsonIn(footer)
  if (message === undefined || footer === undefined || typeof kid !== 'string' || rest.length > 0)
    return undefined
  if (message.length < SIGNATURE_LENGTH) return undefined
  const claims = message.slice(0, -SIGNATURE_LENGTH)
  const signed = preAuthenticationEncoding([utf8(PASETO), claims, footer, new Uint8Array()])
  return { kid, signed, signature: message.slice(-SIGNATURE_LENGTH), claims }
}

const SIGNATURE_LENGTH = 64

/** PAE of the PASETO specification: each length in 64 bits, little-endian. */
const preAuthenticationEncoding = (pieces: ReadonlyArray<Uint8Array>): Bytes => {
  const encoded = new Uint8Array(8 + pieces.reduce((length, piece) => length + 8 + piece.length, 0))
  const view = new DataView(encoded.buffer)
  view.setUint32(0, pieces.length, true)
  let at = 8
  for (const piece of pieces) {
    view.setUint32(at, piece.length, true)
    encoded.set(piece, at + 8)
    at += 8 + piece.length
  }
  return encoded
}

/** RFC 9068 §2.1 and RFC 8725 §3: the algorithm and the type are fixed. */
const jwtParts = (token: string): Parts | undefined => {
  const [header = '', payload = '', signatureText = '', ...rest] = token.split('.')
  const { alg, typ, kid, crit } = jsonIn(bytesIn(header))
  const claims = bytesIn(payload)
  const signature = bytesIn(signatureText)
  if (claims === undefined || signature === undefined || rest.length > 0) return undefined
  if (alg !== 'EdDSA' || typ !== 'at+jwt' || typeof kid !== 'string' || crit !== undefined) return undefined
  return { kid, signed: utf8(`${header}.${payload}`), signature, claims }
}

const pasetoClaims = (claims: JsonObject, issuer: string, now: number): VerifiedToken | undefined =>
  verified({ aud: issuer, ...claims }, issuer, now, secondsOf)

const jwtClaims = (claims: JsonObject, issuer: string, now: number): VerifiedToken | undefined =>
  typeof claims.client_id === 'string' ? verified(claims, issuer, now, seconds) : undefined

const verified = (
  { iss, aud, sub, sid, iat, exp, jti, nbf, auth_time, acr, amr, roles = [], client_id }: JsonObject,
  issuer: string,
  now: number,
  toMs: (time: unknown) => number | undefined,
): VerifiedToken | undefined => {
  const issuedAt = toMs(iat)
  const expiresAt = toMs(exp)
  const authTime = toMs(auth_time)
  if (iss !== issuer || aud !== issuer || !isText(sub) || !isText(sid) || !isText(jti)) return undefined
  if (issuedAt === undefined || expiresAt === undefined || authTime === undefined) return undefined
  if (!isText(acr) || !Array.isArray(amr) || !amr.every(isText)) return undefined
  if (!Array.isArray(roles) || !roles.every(isText)) return undefined
  if (expiresAt + TOLERANCE_MS <= now) return undefined
  if (nbf !== undefined && !((toMs(nbf) ?? Number.POSITIVE_INFINITY) <= now + TOLERANCE_MS)) return undefined
  return {
    ok: true,
    userId: sub,
    sessionId: sid,
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    authTime: new Date(authTime).toISOString(),
    acr: acr as Acr,
    amr: amr as ReadonlyArray<Amr>,
    roles,
    ...(isText(client_id) && { clientId: client_id }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The times of JWT: seconds since 1970. */
const seconds = (time: unknown): number | undefined =>
  typeof time === 'number' && Number.isSafeInteger(time) && Math.abs(time) < LAST_SECOND
    ? time * 1000
    : undefined

/** The last time that a `Date` can have. */
const LAST_SECOND = 8.64e12

/** The times of PASETO. */
const secondsOf = (time: unknown): number | undefined => {
  if (typeof time !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(time))
    return undefined
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? undefined : ms
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text)

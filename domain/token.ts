import type { AssuranceClaims } from './assurance.ts'
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'
import type { Roles } from './roles.ts'

/** Claims of an application token, with the names of RFC 9068 §2.2. Times are seconds since the epoch. */
export type ApplicationTokenClaims = Readonly<{
  iss: string
  sub: string
  client_id: string
  aud: string
  iat: number
  exp: number
  jti: string
  scope: string
}>

/** Claims of a user token. `sid` is the id of its session. Times are seconds since the epoch. */
export type UserTokenClaims = Readonly<{
  iss: string
  sub: string
  sid: string
  iat: number
  exp: number
  jti: string
  /** The roles of the user when the token was signed; absent if there were none (RFC 9068 §2.2.3.1). */
  roles?: Roles
}> &
  AssuranceClaims

/** Claims of a user token as JWT, with the names of RFC 9068 §2.2. `client_id` is the application that signed the user in. */
export type UserJwtClaims = UserTokenClaims & Readonly<{ aud: string; client_id: string }>

/** The format in which the service signs user tokens. It verifies both. */
export type UserTokenFormat = 'paseto' | 'jwt'

/** The record of a revoked application token. Revocation is permanent. */
export type RevokedToken = Readonly<{
  /** The token's `jti`. */
  id: string
  applicationId: string
  /** The token's `exp`. After it the record is no longer needed. */
  expiresAtSeconds: number
  /** Always 1: the record is written once. */
  version: number
}>

/** Whether the claims name this service, and the token is neither expired nor issued in the future. */
export const isCurrent = (
  claims: Pick<UserTokenClaims, 'iss' | 'iat' | 'exp'> & { aud?: string },
  issuer: string,
  nowSeconds: number,
): boolean => isOfIssuer(claims, issuer, nowSeconds) && nowSeconds < claims.exp + CLOCK_TOLERANCE_SECONDS

/** Whether the claims name this service, and the token is not issued in the future. It may have expired. */
export const isOfIssuer = (
  claims: Pick<UserTokenClaims, 'iss' | 'iat'> & { aud?: string },
  issuer: string,
  nowSeconds: number,
): boolean =>
  claims.iss === issuer &&
  (claims.aud === undefined || claims.aud === issuer) &&
  claims.iat <= nowSeconds + CLOCK_TOLERANCE_SECONDS

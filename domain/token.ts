/** Clocks of two machines may differ by this much (RFC 7519 §4.1.4 allows "a small leeway"). */
export const CLOCK_TOLERANCE_SECONDS = 5

/** Claims of an application token, named as RFC 9068 §2.2 names them. Times are seconds since the epoch. */
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

/** Claims of a user token. `sid` is the session it stands for. Times are seconds since the epoch. */
export type UserTokenClaims = Readonly<{
  iss: string
  sub: string
  sid: string
  iat: number
  exp: number
  jti: string
}>

/** An application token that is good no more, whatever it says. There is no way back. */
export type RevokedToken = Readonly<{
  /** The token's `jti`. */
  id: string
  /** Whose it was. */
  applicationId: string
  /** The token's `exp`: from then on nobody asks about it. */
  expiresAtSeconds: number
  /** 1: such a record is written once. */
  version: number
}>

/** Whether this service made the token, and it is neither from the future nor past its end. */
export const isCurrent = (
  claims: Pick<UserTokenClaims, 'iss' | 'iat' | 'exp'> & { aud?: string },
  issuer: string,
  nowSeconds: number,
): boolean =>
  claims.iss === issuer &&
  (claims.aud === undefined || claims.aud === issuer) &&
  claims.iat <= nowSeconds + CLOCK_TOLERANCE_SECONDS &&
  nowSeconds < claims.exp + CLOCK_TOLERANCE_SECONDS

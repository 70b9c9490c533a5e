import { forgeJwt, forgePaseto } from './forge.ts'
import type { Target } from './target.ts'

/** Claims to add or replace in a token. A claim that is `undefined` is omitted. */
export type Claims = (target: Target) => Readonly<Record<string, unknown>>

export const rfc3339OfSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The claims of the good user token as written. */
export const writtenClaims = ({ user: { claims } }: Target) => ({
  ...claims,
  iat: rfc3339OfSeconds(claims.iat),
  exp: rfc3339OfSeconds(claims.exp),
  auth_time: rfc3339OfSeconds(claims.auth_time),
})

/** Good tokens with some claims changed, signed with the correct key of their kind. */
export const wellSigned = {
  application:
    (claims: Claims) =>
    (target: Target): string =>
      forgeJwt(target.keys.application, JSON.stringify({ ...target.application.claims, ...claims(target) })),
  user:
    (claims: Claims) =>
    (target: Target): string =>
      forgePaseto(target.keys.user, JSON.stringify({ ...writtenClaims(target), ...claims(target) })),
  user_jwt:
    (claims: Claims) =>
    (target: Target): string =>
      forgeJwt(target.keys.user_jwt, JSON.stringify({ ...target.user_jwt.claims, ...claims(target) })),
}

/** All kinds, for tests that apply to each. */
export const KINDS = [
  { kind: 'application', name: 'an application token', signed: wellSigned.application },
  { kind: 'user', name: 'a user token', signed: wellSigned.user },
  { kind: 'user_jwt', name: 'a user token as JWT', signed: wellSigned.user_jwt },
] as const

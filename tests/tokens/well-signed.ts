import { forgeJwt, forgePaseto } from './forge.ts'
import type { Target } from './target.ts'

/** What a token is to claim besides, or instead; a claim that is `undefined` is left out. */
export type Claims = (target: Target) => Readonly<Record<string, unknown>>

export const rfc3339 = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The claims of the good user token as they are written. */
export const writtenClaims = ({ user: { claims } }: Target) => ({
  ...claims,
  iat: rfc3339(claims.iat),
  exp: rfc3339(claims.exp),
})

/** Tokens as the good ones but for some claims, signed with the right key of their kind. */
export const wellSigned = {
  application:
    (claims: Claims) =>
    (target: Target): string =>
      forgeJwt(target.keys.application, JSON.stringify({ ...target.application.claims, ...claims(target) })),
  user:
    (claims: Claims) =>
    (target: Target): string =>
      forgePaseto(target.keys.user, JSON.stringify({ ...writtenClaims(target), ...claims(target) })),
}

/** Both kinds, for what is to be said of either. */
export const KINDS = [
  { kind: 'application', name: 'an application token', signed: wellSigned.application },
  { kind: 'user', name: 'a user token', signed: wellSigned.user },
] as const

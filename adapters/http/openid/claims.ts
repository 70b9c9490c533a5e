import { sessionAssurance } from '../../../domain/assurance.ts'
import { attributesOf } from '../../../domain/attributes.ts'
import type { SessionFacts } from '../../../domain/session.ts'

/** The scopes of OpenID Connect that clients may ask for. */
export const SCOPES = ['openid', 'profile', 'email', 'roles', 'offline_access']

/** The claims of each scope. Those of `openid` are in every ID token. */
export const SCOPE_CLAIMS = {
  openid: ['sub', 'sid', 'auth_time', 'acr', 'amr'],
  email: ['email', 'email_verified'],
  roles: ['roles'],
  profile: ['name', 'given_name', 'family_name', 'picture', 'locale', 'zoneinfo'],
}

/**
 * Returns the claims about a user. The library and the route for userinfo keep those that the scopes permit. Attributes are in userinfo only, so that
 * ID tokens stay short.
 */
export const claimsOf = (
  facts: SessionFacts | undefined,
  use: string,
): { sub: string; [claim: string]: unknown } => {
  if (facts === undefined) return { sub: '' }
  const { user, session } = facts
  return {
    sub: user.id,
    sid: session.id,
    email: user.email,
    email_verified: user.emailVerified,
    roles: [...user.roles],
    auth_time: session.authenticatedAtSeconds,
    ...sessionAssurance(session),
    ...(use === 'userinfo' && profileOf(user)),
  }
}

const profileOf = (user: SessionFacts['user']): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(attributesOf(user.attributes)).filter(([name]) => SCOPE_CLAIMS.profile.includes(name)),
  )

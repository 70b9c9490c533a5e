import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { scopeText } from '../../domain/application.ts'
import { rolesClaim } from '../../domain/roles.ts'
import type { ApplicationTokenClaims } from '../../domain/token.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { ActiveToken, AnyUserTokenClaims, ValidateToken } from './validate-token.ts'

/**
 * Returns the claims and the owner of a token, for an application with the scope `tokens:introspect`. An invalid token is only
 * `active: false`, without a reason (RFC 7662 §2.2). It changes nothing and logs no event.
 */
export type Introspect = (token: string) => TaskEither<StoreUnavailable, Introspection>

/** The state of a token, with the names of RFC 7662 §2.2. Times are seconds since the epoch. */
export type Introspection =
  | Readonly<{ active: false }>
  | (Active & Readonly<{ kind: 'application' }> & ApplicationTokenClaims)
  /** `username` is the user's e-mail as registered. `client_id` is the application that signed the user in. Only a JWT has `aud`. */
  | (Active & Readonly<{ kind: 'user'; username: string; client_id: string }> & AnyUserTokenClaims)

type Active = Readonly<{ active: true; token_type: 'Bearer' }>

export const introspect =
  ({ validateToken }: Readonly<{ validateToken: ValidateToken }>): Introspect =>
  (token) =>
  async () => {
    const active = await validateToken(token)()
    if (E.isRight(active)) return E.right(introspectionOf(active.right))
    return active.left._tag === 'StoreUnavailable' ? E.left(active.left) : E.right({ active: false })
  }

const introspectionOf = (token: ActiveToken): Introspection => {
  if (token.kind === 'application')
    return { ...ACTIVE, kind: token.kind, ...token.claims, scope: scopeText(token.caller.scope) }
  const { roles: _, ...claims } = token.claims
  const { session, user } = token.caller
  return {
    ...ACTIVE,
    kind: token.kind,
    ...claims,
    ...rolesClaim(user), // those of this moment: a change acts before the token ends
    client_id: session.applicationId,
    username: user.email,
  }
}

const ACTIVE: Active = { active: true, token_type: 'Bearer' }

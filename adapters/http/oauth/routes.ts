import type { Authenticate } from '../../../application/authenticate.ts'
import type { Introspect } from '../../../application/introspect.ts'
import type { RevokeToken } from '../../../application/revoke-token.ts'
import { behind, type Route } from '../route.ts'
import { introspectRoute } from './introspect.ts'

/** What the routes call. */
export type OauthUseCases = Readonly<{
  authenticate: Authenticate
  introspect: Introspect
  revokeToken: RevokeToken
}>

/**
 * What other services speak OAuth 2.0 with.
 *
 * @param prefix the path part of the public URL; it stands before every route
 */
export const oauthRoutes = (useCases: OauthUseCases, prefix: string): ReadonlyArray<Route> =>
  behind(prefix, [introspectRoute(useCases.authenticate, useCases.introspect)])

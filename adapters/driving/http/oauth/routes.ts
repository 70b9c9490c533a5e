import type { Authenticate } from '../../../../application/authenticate.ts'
import type { AuthenticateApplication } from '../../../../application/authenticate-application.ts'
import type { AuthenticateByKeys } from '../../../../application/authenticate-by-keys.ts'
import type { Introspect } from '../../../../application/introspect.ts'
import type { IssueApplicationToken } from '../../../../application/issue-application-token.ts'
import type { RevokeToken } from '../../../../application/revoke-token.ts'
import { behind, type Route } from '../operation/route.ts'
import { introspectRoute } from './introspect.ts'
import { METADATA, metadataRoute } from './metadata.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'

/** What the routes call. */
export type OauthUseCases = Readonly<{
  authenticate: Authenticate
  revokeToken: RevokeToken
  authenticateApplication: AuthenticateApplication
  authenticateByKeys: AuthenticateByKeys
  introspect: Introspect
  issueApplicationToken: IssueApplicationToken
}>

/**
 * What other services speak OAuth 2.0 with.
 *
 * The metadata stands where RFC 8414 §3.1 has clients look, between the host and the path of the issuer, and also behind that
 * path with all the rest, for a proxy may hand on nothing else.
 *
 * @param issuer the public URL
 * @param prefix its path part; it stands before every other route
 */
export const oauthRoutes = (
  useCases: OauthUseCases,
  issuer: string,
  prefix: string,
): ReadonlyArray<Route> => [
  ...behind(prefix, [
    tokenRoute(useCases.issueApplicationToken),
    introspectRoute(useCases.authenticate, useCases.authenticateByKeys, useCases.introspect),
    revokeRoute(useCases.authenticateApplication, useCases.revokeToken),
    metadataRoute(issuer, METADATA, 'getOauthMetadata'),
  ]),
  ...(prefix === '' ? [] : [metadataRoute(issuer, `${METADATA}${prefix}`, 'getOauthMetadataOfIssuer')]),
]

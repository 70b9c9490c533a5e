import type { AuthenticateApplication } from '../../../application/applications/authenticate-application.ts'
import type { AuthenticateByKeys } from '../../../application/applications/authenticate-by-keys.ts'
import type { IssueApplicationToken } from '../../../application/applications/issue-application-token.ts'
import type { Authenticate } from '../../../application/sessions/authenticate.ts'
import type { Introspect } from '../../../application/sessions/introspect.ts'
import type { RevokeToken } from '../../../application/sessions/revoke-token.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { introspectRoute } from './introspect.ts'
import { METADATA, metadataRoute } from './metadata.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'

/** The use cases of the routes. */
export type OauthUseCases = Readonly<{
  authenticate: Authenticate
  revokeToken: RevokeToken
  authenticateApplication: AuthenticateApplication
  authenticateByKeys: AuthenticateByKeys
  introspect: Introspect
  issueApplicationToken: IssueApplicationToken
}>

/**
 * The routes for OAuth 2.0 clients.
 *
 * RFC 8414 §3.1 places the metadata between the host and the path of the issuer. A proxy may forward only the prefix, so the metadata
 * is below the prefix too.
 *
 * @param issuer the public URL
 * @param prefix the path part of the public URL
 */
export const oauthRoutes = (
  useCases: OauthUseCases,
  issuer: string,
  prefix: string,
): ReadonlyArray<Route> => [
  ...withPrefix(prefix, [
    tokenRoute(useCases),
    introspectRoute(useCases),
    revokeRoute(useCases),
    metadataRoute(issuer, METADATA, 'getOauthMetadata'),
  ]),
  ...(prefix === '' ? [] : [metadataRoute(issuer, `${METADATA}${prefix}`, 'getOauthMetadataOfIssuer')]),
]

import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { introspectRoute } from './introspect.ts'
import { METADATA, type Metadata, metadataRoute } from './metadata.ts'
import { revokeRoute } from './revoke.ts'
import { type AnswerGrant, tokenRoute } from './token.ts'

/**
 * The routes for OAuth 2.0 clients.
 *
 * RFC 8414 §3.1 places the metadata between the host and the path of the issuer. A proxy may forward only the prefix, so the metadata
 * is below the prefix too.
 *
 * @param issuer the public URL
 * @param prefix the path part of the public URL
 * @param openId undefined without the OpenID provider
 */
export const oauthRoutes = (
  useCases: RequestUseCases,
  issuer: string,
  prefix: string,
  openId: OpenIdParts | undefined,
): ReadonlyArray<Route> => {
  const more = openId?.endpoints ?? {}
  const forPages = openId?.forPages ?? ((route) => route)
  return [
    ...withPrefix(prefix, [
      forPages(tokenRoute({ ...useCases, answerGrant: openId?.answerGrant })),
      introspectRoute(useCases),
      forPages(revokeRoute({ ...useCases, ...openId?.revocation })),
      ...(openId?.operations ?? []),
      metadataRoute(issuer, { path: METADATA, id: 'getOauthMetadata', more }),
    ]),
    ...(prefix === ''
      ? []
      : [metadataRoute(issuer, { path: `${METADATA}${prefix}`, id: 'getOauthMetadataOfIssuer', more })]),
  ]
}

/** What the OpenID provider adds to these routes. */
export type OpenIdParts = Readonly<{
  endpoints: Metadata
  answerGrant: AnswerGrant
  revocation: Parameters<typeof revokeRoute>[0]
  /** Lets the pages of public clients read the responses of a route. */
  forPages: (route: Route) => Route
  /** Its own. */
  operations: ReadonlyArray<Route>
}>

import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { introspectRoute } from './introspect.ts'
import { METADATA, metadataRoute } from './metadata.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'

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
  useCases: RequestUseCases,
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

import { randomBytes } from 'node:crypto'
import type { ClientMetadata } from 'oidc-provider'
import type { Application } from '../../../domain/application.ts'

/**
 * The secret of every confidential client in the eyes of the library. The route authenticates applications itself, with throttling and log, and
 * only then sends the library a request with this one. It never leaves the process.
 */
export const SECRET_OF_ROUTE = randomBytes(32).toString('base64url')

/** Returns an application as the library knows clients. */
export const clientMetadata = ({ id, clientKind, redirectUris }: Application): ClientMetadata => ({
  client_id: id,
  redirect_uris: [...redirectUris],
  response_types: ['code'],
  grant_types: ['authorization_code', 'refresh_token'],
  id_token_signed_response_alg: 'RS256',
  ...(clientKind === 'public'
    ? { token_endpoint_auth_method: 'none', application_type: 'native' }
    : {
        token_endpoint_auth_method: 'client_secret_basic',
        client_secret: SECRET_OF_ROUTE,
        application_type: 'web',
      }),
})

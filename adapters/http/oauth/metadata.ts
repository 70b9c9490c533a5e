import * as TE from 'fp-ts/lib/TaskEither.js'
import { SCOPES } from '../../../domain/application.ts'
import { cacheableJson, cacheableSuccesses } from '../operation/cacheable.ts'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { object, type Schema } from '../operation/schema.ts'
import { GRANT_TYPE } from './token.ts'

/**
 * The metadata for OAuth clients (RFC 8414).
 *
 * @param issuer the public URL
 * @param more what the OpenID provider adds
 */
export const metadataRoute = (
  issuer: string,
  { path, id, more }: Readonly<{ path: string; id: string; more: Metadata }>,
): Route =>
  routeOfMetadata(
    {
      path,
      id,
      summary: 'Get the OAuth metadata',
      details: 'The metadata of an authorization server (RFC 8414).',
    },
    { ...oauthMetadata(issuer), ...more },
  )

/** The route of metadata, which are the same for all clients. */
export const routeOfMetadata = (
  { path, ...described }: Readonly<{ path: string; id: string; summary: string; details: string }>,
  metadata: Metadata,
): Route => {
  const respond = cacheableJson()
  const get = operation(
    {
      ...described,
      tag: 'OAuth 2.0',
      access: PUBLIC,
      successes: cacheableSuccesses('The metadata.', metadataSchema(metadata)),
      examples: [{ summary: 'The metadata of this service', status: 200, body: metadata }],
    },
    ({ request }) => TE.right(respond(request.message, metadata)),
  )
  return { path, methods: { GET: get, HEAD: get } }
}

export const METADATA = '/.well-known/oauth-authorization-server'

export type Metadata = Readonly<Record<string, string | boolean | ReadonlyArray<string>>>

export const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post']

/** The metadata without an OpenID provider. */
export const oauthMetadata = (issuer: string): Metadata => ({
  issuer,
  token_endpoint: `${issuer}/oauth2/token`,
  token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: SCOPES,
  response_types_supported: [], // §2 requires this list, although §3.2 omits empty lists
  grant_types_supported: [GRANT_TYPE],
  introspection_endpoint: `${issuer}/oauth2/introspect`,
  introspection_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'Bearer'],
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
})

/** Every member is required. URLs have a format but no value, because it depends on the instance. */
const metadataSchema = (metadata: Metadata): Schema =>
  object(
    Object.fromEntries(
      Object.entries(metadata).map(([name, value]): [string, Schema] => [name, schemaOf(value)]),
    ),
  )

const schemaOf = (value: Metadata[string]): Schema => {
  if (typeof value === 'boolean') return { type: 'boolean', enum: [value] }
  return typeof value === 'string' ? { type: 'string', format: 'uri' } : listOf(value)
}

const listOf = (values: ReadonlyArray<string>): Schema =>
  values.length === 0
    ? { type: 'array', items: { type: 'string' }, maxItems: 0 }
    : { type: 'array', items: { type: 'string', enum: [...values] } }

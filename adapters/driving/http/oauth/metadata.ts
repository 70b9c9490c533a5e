import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { SCOPES } from '../../../../domain/application.ts'
import { publishedAs, publisher } from '../operation/cacheable.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { object, type Schema } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'
import { GRANT_TYPE } from './token.ts'

/**
 * What there is for OAuth clients, and nothing that there is not (RFC 8414).
 *
 * @param issuer the public URL
 * @param path where it is asked for
 * @param id of the operation
 */
export const metadataRoute = (issuer: string, path: string, id: string): Route => {
  const metadata = metadataOf(issuer)
  const answer = publisher()
  const get = operation(
    {
      id,
      group: 'OAuth 2.0',
      summary: 'What there is for OAuth clients',
      details: 'The metadata of an authorization server (RFC 8414).',
      successes: publishedAs('The metadata.', described(metadata)),
      fails: OF_IGNORED_BODIES,
      examples: [{ summary: 'The metadata of this service', status: 200, answer: metadata }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.map(() => answer(message, metadata)),
      ),
  )
  return { path, methods: { GET: get, HEAD: get } }
}

export const METADATA = '/.well-known/oauth-authorization-server'

const metadataOf = (issuer: string): Readonly<Record<string, string | ReadonlyArray<string>>> => ({
  issuer,
  token_endpoint: `${issuer}/oauth2/token`,
  token_endpoint_auth_methods_supported: BY_KEYS,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: SCOPES,
  response_types_supported: [], // §3.2 would leave out an empty list, but §2 requires this one
  grant_types_supported: [GRANT_TYPE],
  introspection_endpoint: `${issuer}/oauth2/introspect`,
  introspection_endpoint_auth_methods_supported: [...BY_KEYS, 'Bearer'],
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  revocation_endpoint_auth_methods_supported: BY_KEYS,
})

const BY_KEYS = ['client_secret_basic', 'client_secret_post']

/** Every member is there. Addresses are described as such, and not by their value, which another instance does not share. */
const described = (metadata: ReturnType<typeof metadataOf>): Schema =>
  object(
    Object.fromEntries(
      Object.entries(metadata).map(([name, value]): [string, Schema] => [
        name,
        typeof value === 'string' ? { type: 'string', format: 'uri' } : listOf(value),
      ]),
    ),
  )

const listOf = (values: ReadonlyArray<string>): Schema =>
  values.length === 0
    ? { type: 'array', maxItems: 0 }
    : { type: 'array', items: { type: 'string', enum: values } }

import { CLIENT_AUTHENTICATION, type Metadata, oauthMetadata, routeOfMetadata } from '../oauth/metadata.ts'
import { GRANT_TYPE, OPENID_GRANTS } from '../oauth/token.ts'
import type { Route } from '../operation/route.ts'
import { SCOPE_CLAIMS, SCOPES } from './claims.ts'

/** What the OpenID provider adds to the metadata of an authorization server (RFC 8414 §2). */
export const endpointsOfProvider = (issuer: string): Metadata => ({
  authorization_endpoint: `${issuer}/oauth2/authorize`,
  pushed_authorization_request_endpoint: `${issuer}/oauth2/par`,
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'form_post', 'fragment'],
  grant_types_supported: [GRANT_TYPE, ...OPENID_GRANTS],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'none'],
  revocation_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'none'],
  authorization_response_iss_parameter_supported: true,
  prompt_values_supported: ['none', 'login', 'select_account', 'consent', 'create'],
})

/** The metadata of an OpenID provider (OpenID Connect Discovery §3). Its keys are those of ID tokens. */
const openIdMetadata = (issuer: string): Metadata => ({
  ...oauthMetadata(issuer),
  ...endpointsOfProvider(issuer),
  jwks_uri: `${issuer}/.well-known/openid-jwks.json`,
  userinfo_endpoint: `${issuer}/oauth2/userinfo`,
  end_session_endpoint: `${issuer}/oauth2/end_session`,
  scopes_supported: SCOPES,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  acr_values_supported: ['aal1', 'aal2'],
  claims_supported: ['iss', 'aud', 'exp', 'iat', 'nonce', ...Object.values(SCOPE_CLAIMS).flat()],
  claims_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
})

export const openIdMetadataRoute = (issuer: string): Route =>
  routeOfMetadata(
    {
      path: '/.well-known/openid-configuration',
      id: 'getOpenIdMetadata',
      summary: 'Get the metadata of the OpenID provider',
      details: 'The metadata of an OpenID provider (OpenID Connect Discovery §3).',
    },
    openIdMetadata(issuer),
  )

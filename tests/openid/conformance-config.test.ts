import { expect } from 'chai'
import { type JsonAnswer, json } from './code-flow.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'

const ISSUER = 'https://auth.example.com'

/** What the suite takes in the metadata of a provider, of the members that are here. */
const KNOWN = [
  'acr_values_supported',
  'authorization_endpoint',
  'authorization_response_iss_parameter_supported',
  'claims_parameter_supported',
  'claims_supported',
  'code_challenge_methods_supported',
  'end_session_endpoint',
  'grant_types_supported',
  'id_token_signing_alg_values_supported',
  'introspection_endpoint',
  'introspection_endpoint_auth_methods_supported',
  'issuer',
  'jwks_uri',
  'prompt_values_supported',
  'pushed_authorization_request_endpoint',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'response_modes_supported',
  'response_types_supported',
  'revocation_endpoint',
  'revocation_endpoint_auth_methods_supported',
  'scopes_supported',
  'subject_types_supported',
  'token_endpoint',
  'token_endpoint_auth_methods_supported',
  'userinfo_endpoint',
]

describe('Config OP of the OpenID conformance suite', () => {
  let provider: OpenIdService
  let discovered: JsonAnswer
  before(async () => {
    provider = await startOpenId({ PUBLIC_URL: ISSUER })
    discovered = json(await provider.pages.get('/.well-known/openid-configuration'))
  })
  after(() => provider.pages.stop())

  it('oidcc-discovery-endpoint-verification', async () => {
    const { status, headers, body } = discovered
    expect([status, headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8'])
    expect(Object.keys(body).filter((name) => !KNOWN.includes(name))).to.deep.equal([])
    expect(body).to.deep.include({
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/.well-known/openid-jwks.json`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      code_challenge_methods_supported: ['S256'],
    })
    expect(body).not.to.have.property('registration_endpoint')
    expect(body.grant_types_supported).to.include.members(['authorization_code', 'refresh_token'])
    expect(body.scopes_supported).to.include('openid').and.to.satisfy(areScopes)
    expect(body.claims_supported).to.include.members(['sub', 'iss', 'aud', 'exp', 'iat'])
    expect(endpointsOf(body)).to.have.lengthOf(8)
    for (const endpoint of endpointsOf(body))
      expect(endpoint).to.match(/^https:\/\/auth\.example\.com\/[^?#]+$/)
  })

  it('oidcc-discovery-endpoint-verification reads keys that are public, each with its own id', async () => {
    const { status, body } = json(await provider.pages.get('/.well-known/openid-jwks.json'))
    const keys = body.keys as ReadonlyArray<Readonly<Record<string, string>>>
    expect([status, keys.length > 0]).to.deep.equal([200, true])
    for (const key of keys) {
      expect(Object.keys(key)).to.have.members(['kty', 'kid', 'use', 'alg', 'n', 'e'])
      expect(key).to.include({ kty: 'RSA', use: 'sig', alg: 'RS256' })
      expect(Buffer.from(key.n ?? '', 'base64url').length).to.be.at.least(256)
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).to.equal(keys.length)
  })

  it('oidcc-rp-initiated-logout-discovery-endpoint-verification', () => {
    expect(discovered.body.end_session_endpoint).to.equal(`${ISSUER}/oauth2/end_session`)
  })
})

/** Of RFC 6749 §3.3. */
const areScopes = (scopes: ReadonlyArray<string>): boolean =>
  scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope))

const endpointsOf = (body: JsonAnswer['body']): ReadonlyArray<unknown> =>
  Object.entries(body).flatMap(([name, value]) => (/_(?:endpoint|uri)$/.test(name) ? [value] : []))

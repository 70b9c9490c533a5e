import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { basic, GRANT, METADATA, sendForm } from '../support/oauth.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const BY_KEYS = ['client_secret_basic', 'client_secret_post']

const metadata = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}/oauth2/token`,
  token_endpoint_auth_methods_supported: BY_KEYS,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: [
    'users:sign_in',
    'users:register',
    'users:recover',
    'users:confirm_email',
    'users:read',
    'users:manage',
    'users:reset_factors',
    'users:vouch',
    'users:roles',
    'users:attributes',
    'tokens:introspect',
    'events:read',
  ],
  response_types_supported: [],
  grant_types_supported: ['client_credentials'],
  introspection_endpoint: `${issuer}/oauth2/introspect`,
  introspection_endpoint_auth_methods_supported: [...BY_KEYS, 'Bearer'],
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  revocation_endpoint_auth_methods_supported: BY_KEYS,
})

const ENDPOINTS = ['token_endpoint', 'introspection_endpoint', 'revocation_endpoint'] as const

describe(`GET ${METADATA}`, () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  it('describes exactly the supported features', async () => {
    const answer = await running.send({ method: 'GET', path: METADATA })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal(metadata(PUBLIC_URL))
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'public, max-age=60, must-revalidate',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      etag: answer.headers.etag,
      'x-content-type-options': 'nosniff',
    })
  })

  it('names endpoints that accept exactly the listed authentication methods', async () => {
    const token = await scopedToken(running, 'tokens:introspect')
    const { body } = await running.send({ method: 'GET', path: METADATA })
    for (const endpoint of ENDPOINTS) {
      const path = body[endpoint].slice(PUBLIC_URL.length)
      const methods = body[`${endpoint}_auth_methods_supported`]
      const ways = {
        client_secret_basic: await sendForm(running, path, GRANT, basic(running.keys)),
        client_secret_post: await sendForm(running, path, {
          ...GRANT,
          client_id: running.keys.public_api_key,
          client_secret: running.keys.private_api_key,
        }),
        Bearer: await sendForm(running, path, GRANT, { authorization: `Bearer ${token}` }),
        none: await sendForm(running, path, GRANT),
      }
      for (const [way, { status }] of Object.entries(ways))
        expect(status !== 401, `${endpoint} ${way}`).to.equal(methods.includes(way))
    }
    const keys = await running.send({ method: 'GET', path: body.jwks_uri.slice(PUBLIC_URL.length) })
    expect(keys.body).to.have.all.keys('keys')
  })
})

describe('the metadata of a service whose public URL has a path', () => {
  const issuer = 'https://auth.test/base/auth'

  it('is served both where RFC 8414 requires it and behind the path', async () =>
    withService({ PUBLIC_URL: issuer }, async ({ send }) => {
      for (const path of [`${METADATA}/base/auth`, `/base/auth${METADATA}`]) {
        const { status, body } = await send({ method: 'GET', path })
        expect(status, path).to.equal(200)
        expect(body).to.deep.equal(metadata(issuer))
        expect((await send({ method: 'HEAD', path })).status).to.equal(200)
      }
    }))

  it('is served nowhere else', async () =>
    withService({ PUBLIC_URL: issuer }, async ({ send }) => {
      for (const path of [METADATA, `${METADATA}/base`, `${METADATA}/base/auth/`, `/base${METADATA}`])
        expect((await send({ method: 'GET', path })).status, path).to.equal(404)
    }))
})

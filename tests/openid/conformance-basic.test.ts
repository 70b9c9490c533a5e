import { expect } from 'chai'
import { bearer, challengeOf, formOf, json, later, STATE, sendAs, VERIFIER } from './code-flow.ts'
import { type ConformanceDesk, conformanceDesk } from './conformance-desk.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'

/** Every claim that the suite takes in an ID token of the scope `openid`. */
const OF_ID_TOKEN = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid']

const PROFILE = { name: 'Ada Lovelace', given_name: 'Ada' }
const ATTRIBUTES = { ...PROFILE, metadata: { shoe_size: 38 } }

/** An unsigned request object. */
const unsigned = (claims: object): string =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

describe('Basic OP of the OpenID conformance suite', () => {
  let provider: OpenIdService
  let desk: ConformanceDesk
  before(async () => {
    provider = await startOpenId()
    const { access_token } = (await (await conformanceDesk(provider)).flow()).tokens
    await provider.pages.post('/api/v1/profile/attributes', JSON.stringify(ATTRIBUTES), {
      'content-type': 'application/json',
      ...bearer(access_token),
    })
  })
  after(() => provider.pages.stop())
  beforeEach(async () => {
    desk = await conformanceDesk(provider)
  })

  it('oidcc-server', async () => {
    const { code, claims, pages } = await desk.flow()
    expect(pages).to.deep.equal(['/account/sign-in'])
    expect(code, 'at least 128 bits').to.match(/^[\w-]{22,}$/)
    expect(Object.keys(claims)).to.include.members(['auth_time', 'acr', 'amr'])
    expect(Object.keys(claims).filter((name) => !OF_ID_TOKEN.includes(name))).to.deep.equal([])
  })

  it('oidcc-response-type-missing', async () => {
    const { told } = await desk.authorize({ response_type: undefined })
    expect(told).to.include({ error: 'invalid_request', state: STATE, iss: provider.issuer })
  })

  it('oidcc-idtoken-signature', async () => {
    const { tokens } = await desk.flow()
    const [header = ''] = tokens.id_token.split('.')
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    expect([alg, typeof kid]).to.deep.equal(['RS256', 'string'])
  })

  it('oidcc-userinfo-get', async () => {
    const { tokens, claims } = await desk.flow({ scope: 'openid email' })
    const { status, headers, body } = await desk.userinfo(tokens.access_token)
    expect([status, headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8'])
    expect(body).to.include({ sub: claims.sub, email_verified: false })
  })

  it('oidcc-userinfo-post-header', async () => {
    const { tokens, claims } = await desk.flow()
    const { pages } = provider
    const { status, body } = json(await pages.post('/oauth2/userinfo', '', bearer(tokens.access_token)))
    expect([status, body.sub]).to.deep.equal([200, claims.sub])
  })

  it('oidcc-userinfo-post-body is a warning: the token belongs into the header', async () => {
    const { access_token } = (await desk.flow()).tokens
    const answer = await provider.pages.post('/oauth2/userinfo', formOf({ access_token }))
    expect(answer.status).to.equal(401)
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    expect((await desk.flow({ nonce: undefined })).claims).not.to.have.property('nonce')
  })

  it('oidcc-scope-profile', async () => {
    const { tokens, claims } = await desk.flow({ scope: 'openid profile' })
    expect(claims).not.to.have.property('name')
    const { body } = await desk.userinfo(tokens.access_token)
    expect(body).to.deep.equal({ sub: claims.sub, ...PROFILE })
  })

  for (const [module, scope] of [
    ['oidcc-scope-email', 'openid email'],
    ['oidcc-alternate-happy-flow', 'email openid'],
  ] as const)
    it(module, async () => {
      const { tokens, claims } = await desk.flow({ scope })
      const { email } = provider.pages.ada
      expect((await desk.userinfo(tokens.access_token)).body).to.deep.equal({
        sub: claims.sub,
        email,
        email_verified: false,
      })
    })

  for (const [module, scope, more] of [
    ['oidcc-scope-address', 'openid address', {}],
    ['oidcc-scope-phone', 'openid phone', {}],
    ['oidcc-scope-all', 'openid email address phone profile', { email_verified: false, ...PROFILE }],
  ] as const)
    it(`${module} is skipped, and the scope does no harm`, async () => {
      const { tokens, claims } = await desk.flow({ scope })
      const { sub, email: _, ...rest } = (await desk.userinfo(tokens.access_token)).body
      expect([sub, rest]).to.deep.equal([claims.sub, more])
    })

  for (const [module, more] of [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'buffy@127.0.0.1' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
  ] as const)
    it(module, async () => {
      expect((await desk.flow(more)).pages).to.deep.equal(['/account/sign-in'])
    })

  it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    expect((await desk.flow({ acr_values: 'aal1 aal2' })).claims.acr).to.equal('aal1')
  })

  for (const [module, more] of [
    ['oidcc-prompt-login', { prompt: 'login' }],
    ['oidcc-max-age-1', { max_age: '1' }],
  ] as const)
    it(module, async () => {
      const first = await desk.flow()
      await later(2, async () => {
        const second = await desk.flow(more)
        expect(second.pages).to.deep.equal(['/account/step-up'])
        expect(second.claims.auth_time).to.be.greaterThan(Number(first.claims.auth_time))
        expect(Math.abs(Date.now() / 1_000 - Number(second.claims.auth_time))).to.be.lessThan(60)
      })
    })

  it('oidcc-prompt-none-not-logged-in', async () => {
    const { told, pages } = await desk.authorize({ prompt: 'none' })
    expect(pages).to.deep.equal([])
    expect(told).to.deep.include({ error: 'login_required', state: STATE, iss: provider.issuer })
    expect(Object.keys(told)).to.have.members(['error', 'error_description', 'state', 'iss'])
  })

  for (const [module, before, more] of [
    ['oidcc-prompt-none-logged-in', {}, () => ({ prompt: 'none' })],
    ['oidcc-max-age-10000', { max_age: '15000' }, () => ({ max_age: '10000' })],
    ['oidcc-id-token-hint', {}, (hint: string) => ({ prompt: 'none', id_token_hint: hint })],
  ] as const)
    it(module, async () => {
      const first = await desk.flow(before)
      const second = await later(2, () => desk.flow(more(first.tokens.id_token)))
      expect(second.pages).to.deep.equal([])
      expect(second.claims.auth_time).to.be.a('number').and.equal(first.claims.auth_time)
    })

  it('oidcc-codereuse', async () => {
    const { code } = await desk.flow()
    const { status, body } = await desk.exchange(code)
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
  })

  it('oidcc-codereuse-30seconds', async () => {
    const { code, tokens } = await desk.flow()
    const { status, body } = await later(30, () => desk.exchange(code))
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
    expect((await desk.userinfo(tokens.access_token)).status, 'the token is revoked').to.equal(401)
  })

  it('oidcc-ensure-registered-redirect-uri', async () => {
    const wrong = { ...desk.client, redirectUri: `${desk.client.redirectUri}/x1b2c3` }
    const failed = await desk.authorize({}, 'GET', wrong).catch((error: Error) => error.message)
    expect(failed).to.match(/^400 /).and.include('<code>invalid_redirect_uri</code>')
  })

  it('oidcc-ensure-post-request-succeeds', async () => {
    expect((await desk.flow({}, 'POST')).pages).to.deep.equal(['/account/sign-in'])
  })

  it('oidcc-server-client-secret-post', async () => {
    const { code = '' } = (await desk.authorize()).told
    const { id, secret, redirectUri } = desk.client
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const { status, body } = json(
      await provider.pages.post('/oauth2/token', formOf({ ...form, client_id: id, client_secret: secret })),
    )
    expect(status).to.equal(200)
    await desk.idToken(String(body.id_token), 'n-0S6')
  })

  it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
    const { told } = await desk.authorize({ request_uri: 'https://suite.example.com/request.jwt' })
    expect(told.error).to.equal('request_uri_not_supported')
  })

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const { told } = await desk.authorize({ request: unsigned({ state: STATE }), state: undefined })
    expect(told.error).to.equal('request_not_supported')
  })

  it('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const { redirectUri } = desk.client
    const wrong = { ...desk.client, redirectUri: `${redirectUri}/invalid` }
    const request = unsigned({ redirect_uri: redirectUri })
    const failed = await desk.authorize({ request }, 'GET', wrong).catch((error: Error) => error.message)
    expect(failed).to.match(/^400 /).and.include('<code>invalid_redirect_uri</code>')
  })

  it('oidcc-claims-essential is a warning: claims get no more than the scopes permit', async () => {
    const { tokens, claims } = await desk.flow({ claims: '{"userinfo":{"name":{"essential":true}}}' })
    expect(claims).not.to.have.property('name')
    expect((await desk.userinfo(tokens.access_token)).body).to.deep.equal({ sub: claims.sub })
  })

  it('oidcc-refresh-token', async () => {
    const { client, flow } = desk
    const first = await flow({ scope: 'openid offline_access', prompt: 'consent' })
    const { refresh_token } = first.tokens
    expect(refresh_token).to.match(/^[ -~]+$/)
    const form = { grant_type: 'refresh_token', refresh_token, scope: 'openid offline_access' }
    const renewed = await later(1, () => sendAs(provider, client, form))
    expect(renewed.status).to.equal(200)
    const { access_token, id_token } = renewed.body as typeof first.tokens
    expect(access_token).not.to.equal(first.tokens.access_token)
    const claims = await desk.idToken(id_token, first.claims.nonce as string)
    expect(claims.auth_time).to.equal(first.claims.auth_time)
    expect(claims.iat).to.be.greaterThan(Number(first.claims.iat))
    expect((await desk.userinfo(access_token)).status).to.equal(200)
    const second = await provider.client('second', { pkce: 'optional' })
    const other = await flow({ scope: 'openid offline_access', prompt: 'consent' }, 'GET', second)
    const stolen = { grant_type: 'refresh_token', refresh_token: other.tokens.refresh_token }
    const { status, body } = await sendAs(provider, client, stolen)
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
  })

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const { client, authorize } = desk
    const { code } = (
      await authorize({ code_challenge: challengeOf(VERIFIER), code_challenge_method: 'S256' })
    ).told
    const form = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri }
    expect((await sendAs(provider, client, { ...form, code_verifier: VERIFIER })).status).to.equal(200)
  })
})

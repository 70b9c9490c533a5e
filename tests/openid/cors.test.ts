import { expect } from 'chai'
import * as oidc from 'openid-client'
import { Agent, request } from 'undici'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { follow, newBrowser, type RelyingParty, relyingParty } from './relying-party.ts'

type Headers = Readonly<Record<string, string>>

const OWN = 'https://spa.example.com'
const FOREIGN = 'https://evil.example.com'

describe('a response of the provider to a page of another origin', () => {
  let provider: OpenIdService
  let spa: TestClient
  let shop: TestClient
  let party: RelyingParty
  const dispatcher = new Agent()

  before(async () => {
    provider = await startOpenId()
    spa = await provider.client('spa', {
      client: 'public',
      redirectUris: [`${OWN}/callback`, 'com.example.spa:/callback'],
    })
    shop = await provider.client('shop', { redirectUris: [`${OWN}/shop`] })
    party = await relyingParty(provider.issuer, { ...spa, secret: undefined })
  })
  after(async () => {
    await dispatcher.close()
    await provider.pages.stop()
  })

  const send = async (
    method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS',
    path: string,
    { headers, form }: Readonly<{ headers?: Headers; form?: Headers }> = {},
  ) => {
    const answer = await request(`${provider.issuer}${path}`, {
      dispatcher,
      method,
      headers: { ...headers, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      body: form === undefined ? null : new URLSearchParams(form).toString(),
    })
    await answer.body.dump()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      cors: Object.fromEntries(
        Object.entries(answer.headers).filter(([name]) => /^access-control-|^vary$/.test(name)),
      ),
    }
  }
  const readableBy = (origin: string) => ({
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Retry-After, WWW-Authenticate, X-Request-Id',
  })
  const UNREADABLE = { vary: 'Origin' }
  const newTokens = async () =>
    party.complete(await follow(newBrowser(provider), provider.issuer, await party.begin()))

  /** Requests that name the client in their form, and what they get. */
  const FORMS: ReadonlyArray<readonly [path: string, fields: Headers, status: number]> = [
    ['/oauth2/token', { grant_type: 'authorization_code', code: 'a', redirect_uri: `${OWN}/callback` }, 400],
    ['/oauth2/token', { grant_type: 'refresh_token', refresh_token: 'a' }, 400],
    ['/oauth2/token', { grant_type: 'client_credentials' }, 401],
    ['/oauth2/token', { grant_type: 'password' }, 400],
    ['/oauth2/token', {}, 400],
    ['/oauth2/revoke', { token: 'a' }, 200],
    ['/oauth2/revoke', {}, 400],
    ['/oauth2/par', { response_type: 'code', scope: 'openid', redirect_uri: 'https://other.example/' }, 400],
  ]
  for (const [path, fields, status] of FORMS)
    it(`is read by pages of its own redirect URIs only: ${path} ${JSON.stringify(fields)} (${status})`, async () => {
      const form = { ...fields, client_id: spa.id }
      const own = await send('POST', path, { form, headers: { origin: OWN } })
      expect([own.status, own.cors]).to.deep.equal([status, readableBy(OWN)])
      for (const origin of [
        FOREIGN,
        'null',
        `${OWN}.evil.example`,
        `${OWN}:8443`,
        'http://spa.example.com',
        '',
      ]) {
        const foreign = await send('POST', path, { form, headers: { origin } })
        expect([foreign.status, foreign.cors], origin).to.deep.equal([status, UNREADABLE])
      }
      const server = await send('POST', path, { form })
      expect([server.status, server.cors]).to.deep.equal([status, UNREADABLE])
    })

  it('is read for a pushed request, with the id or with the public key of the client', async () => {
    const form = {
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${OWN}/callback`,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }
    for (const id of [spa.id, `pk_${spa.id}`]) {
      const answer = await send('POST', '/oauth2/par', {
        form: { ...form, client_id: id },
        headers: { origin: OWN },
      })
      expect([answer.status, answer.cors]).to.deep.equal([201, readableBy(OWN)])
    }
  })

  it('is never readable for a confidential client, an unknown one, and none', async () => {
    const fields = { grant_type: 'authorization_code', code: 'a' }
    const basic = `Basic ${Buffer.from(`${shop.id}:${shop.secret}`).toString('base64')}`
    const requests: ReadonlyArray<Readonly<{ form: Headers; headers?: Headers }>> = [
      { form: { ...fields, client_id: shop.id, client_secret: shop.secret } },
      { form: fields, headers: { authorization: basic } },
      { form: { ...fields, client_id: shop.id }, headers: { authorization: basic } },
      { form: { ...fields, client_id: crypto.randomUUID() } },
      { form: { ...fields, client_id: '*' } },
      { form: fields },
    ]
    for (const { form, headers } of requests)
      expect(
        (await send('POST', '/oauth2/token', { form, headers: { ...headers, origin: OWN } })).cors,
      ).to.deep.equal(UNREADABLE)
  })

  it('gives tokens and claims to a page of the client', async () => {
    const callback = await follow(newBrowser(provider), provider.issuer, await party.begin())
    const origins: Array<string | null> = []
    const asPage: oidc.CustomFetch = async (url, options) => {
      const answer = await fetch(url, {
        ...(options as RequestInit),
        headers: { ...options.headers, origin: OWN },
      })
      origins.push(answer.headers.get('access-control-allow-origin'))
      return answer
    }
    party.config[oidc.customFetch] = asPage
    const tokens = await party.complete(callback)
    await oidc.fetchUserInfo(party.config, tokens.access_token, provider.pages.ada.id)
    const renewed = await oidc.refreshTokenGrant(party.config, tokens.refresh_token ?? '')
    await oidc.tokenRevocation(party.config, renewed.refresh_token ?? '')
    expect([...new Set(origins)]).to.deep.equal([OWN])
    expect(origins).to.have.lengthOf.at.least(4)
  })

  it('about a user is read by pages of the client of the token, also when the token has ended', async () => {
    const { access_token: token } = await newTokens()
    const headers = (origin: string) => ({ authorization: `Bearer ${token}`, origin })
    for (const method of ['GET', 'POST'] as const) {
      const own = await send(method, '/oauth2/userinfo', { headers: headers(OWN) })
      expect([own.status, own.cors]).to.deep.equal([200, readableBy(OWN)])
      const foreign = await send(method, '/oauth2/userinfo', { headers: headers(FOREIGN) })
      expect([foreign.status, foreign.cors]).to.deep.equal([200, UNREADABLE])
    }
    await send('POST', '/oauth2/revoke', { form: { token, client_id: spa.id } })
    const ended = await send('GET', '/oauth2/userinfo', { headers: headers(OWN) })
    expect([ended.status, ended.cors]).to.deep.equal([401, readableBy(OWN)])
  })

  it('about a user is not read without a token that names a client', async () => {
    const part = (claims: unknown) => Buffer.from(JSON.stringify(claims)).toString('base64url')
    const tokens = ['', 'a', 'a.b.c', `a.${part(null)}.c`, `a.${part({ client_id: 1 })}.c`, `a.${part({})}.c`]
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}`, origin: OWN }
      const answer = await send('GET', '/oauth2/userinfo', { headers })
      expect([answer.status, answer.cors], token).to.deep.equal([401, UNREADABLE])
    }
    const answer = await send('GET', '/oauth2/userinfo', { headers: { origin: OWN } })
    expect([answer.status, answer.cors]).to.deep.equal([401, UNREADABLE])
  })

  for (const [path, methods] of [
    ['/oauth2/token', 'POST'],
    ['/oauth2/revoke', 'POST'],
    ['/oauth2/par', 'POST'],
    ['/oauth2/userinfo', 'GET, POST'],
  ] as const)
    it(`is preceded by a preflight, which names no client: ${path}`, async () => {
      const headers = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      }
      for (const origin of [OWN, FOREIGN]) {
        const answer = await send('OPTIONS', path, { headers: { ...headers, origin } })
        expect([answer.status, answer.headers.allow, answer.cors]).to.deep.equal([
          204,
          `${methods}, OPTIONS`,
          {
            vary: 'Origin',
            'access-control-allow-origin': origin,
            'access-control-allow-methods': methods,
            'access-control-allow-headers': 'authorization, content-type',
            'access-control-max-age': '7200',
          },
        ])
      }
      for (const without of [{}, { origin: 'null' }, { origin: 'https://a.example, https://b.example' }])
        expect((await send('OPTIONS', path, { headers: without })).cors).to.deep.equal(UNREADABLE)
    })

  it('is read by every page if it is public: the metadata and the keys', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/openid-jwks.json'])
      for (const method of ['GET', 'HEAD'] as const)
        for (const headers of [{}, { origin: FOREIGN }, { origin: FOREIGN, 'if-none-match': '*' }]) {
          const answer = await send(method, path, { headers })
          expect(answer.status).to.equal('if-none-match' in headers ? 304 : 200)
          expect(answer.cors).to.deep.equal({ 'access-control-allow-origin': '*' })
        }
  })

  it('has no such headers on any other path', async () => {
    const PATHS = [
      '/oauth2/introspect',
      '/oauth2/authorize',
      '/oauth2/end_session',
      '/.well-known/jwks.json',
      '/api/v1/profile',
      '/account/sign-in',
      '/nothing',
    ]
    for (const path of PATHS)
      for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
        const form = { client_id: spa.id, token: 'a' }
        const sent = { headers: { origin: OWN }, ...(method === 'POST' && { form }) }
        const { headers } = await send(method, path, sent)
        expect(
          Object.keys(headers).filter((name) => name.startsWith('access-control-')),
          `${method} ${path}`,
        ).to.deep.equal([])
      }
  })
})

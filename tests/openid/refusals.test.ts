import { expect } from 'chai'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import type { PageAnswer } from '../account-pages/pages-service.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { authorization, requestOf, type Sent, STATE, toldClient } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const UNKNOWN = '01a222c1-f0ec-7391-9f1f-f86dfb59e08f'
const AAL2 = '{"id_token":{"acr":{"essential":true,"value":"aal2"}}}'
const PHR = '{"id_token":{"acr":{"essential":true,"value":"phr"}}}'

/** Requests whose client cannot be told, because its address is not known to be right (RFC 6749 §4.1.2.1). */
const SHOWN: ReadonlyArray<readonly [what: string, more: Sent, error: string]> = [
  ['no client_id', { client_id: undefined }, 'invalid_request'],
  ['an unknown client_id', { client_id: UNKNOWN }, 'invalid_client'],
  ['a malformed client_id', { client_id: 'x y\u0000' }, 'invalid_client'],
  ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
  ['the redirect_uri of another origin', { redirect_uri: 'https://evil.example/' }, 'invalid_redirect_uri'],
  ['a longer redirect_uri', { redirect_uri: 'https://shop.example.com/callback/' }, 'invalid_redirect_uri'],
  ['an added query', { redirect_uri: 'https://shop.example.com/callback?a=b' }, 'invalid_redirect_uri'],
  ['an added fragment', { redirect_uri: 'https://shop.example.com/callback#a' }, 'invalid_redirect_uri'],
  ['another scheme', { redirect_uri: 'http://shop.example.com/callback' }, 'invalid_redirect_uri'],
  ['capitals in the host', { redirect_uri: 'https://SHOP.example.com/callback' }, 'invalid_redirect_uri'],
  ['no URL', { redirect_uri: 'javascript:alert(1)' }, 'invalid_redirect_uri'],
]

/** Requests whose client is told (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const TOLD: ReadonlyArray<readonly [what: string, more: Sent, error: string]> = [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['PKCE with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without a method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
  ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
  ['a method without a challenge', { code_challenge: undefined }, 'invalid_request'],
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['an unknown response_type', { response_type: 'x' }, 'unsupported_response_type'],
  ['an unknown response_mode', { response_mode: 'x' }, 'unsupported_response_mode'],
  ['response_mode=web_message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
  ['a malformed scope', { scope: 'openid "' }, 'invalid_scope'],
  ['a nonce without the scope openid', { scope: 'email' }, 'invalid_request'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request_uri of a stranger', { request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
  [
    'a request_uri that nobody pushed',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    'invalid_request_uri',
  ],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
  ['claims that are a list', { claims: '[]' }, 'invalid_request'],
  ['claims with a number for a claim', { claims: '{"id_token":{"acr":7}}' }, 'invalid_request'],
  ['a max_age that is no number', { max_age: 'x' }, 'invalid_request'],
  ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['a fraction as max_age', { max_age: '1.5' }, 'invalid_request'],
  ['an endless max_age', { max_age: '9'.repeat(30) }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'x' }, 'invalid_request'],
  ['prompt=none with another value', { prompt: 'none login' }, 'invalid_request'],
  ['an id_token_hint that is no token', { id_token_hint: 'x' }, 'invalid_request'],
  ['an essential acr that there is not', { claims: PHR }, 'unmet_authentication_requirements'],
  ['prompt=none and max_age=0', { prompt: 'none', max_age: '0' }, 'login_required'],
  ['prompt=none and aal2', { prompt: 'none', acr_values: 'aal2' }, 'interaction_required'],
  ['prompt=none and aal2 as essential', { prompt: 'none', claims: AAL2 }, 'interaction_required'],
  [
    'prompt=none and another user',
    { prompt: 'none', claims: `{"id_token":{"sub":{"value":"${UNKNOWN}"}}}` },
    'login_required',
  ],
  [
    'a request too long to go on after a page',
    { prompt: 'login', state: 'x'.repeat(1_900) },
    'invalid_request',
  ],
]

/** Requests that need a person, and the page that asks. */
const ASKED: ReadonlyArray<readonly [what: string, more: Sent, page: string, notice: string | null]> = [
  ['prompt=login', { prompt: 'login' }, '/account/step-up', null],
  ['prompt=login consent', { prompt: 'login consent' }, '/account/step-up', null],
  ['max_age=0', { max_age: '0' }, '/account/step-up', null],
  ['prompt=select_account', { prompt: 'select_account' }, '/account/sign-in', 'choose_account'],
  ['prompt=create without registration', { prompt: 'create' }, '/account/sign-in', null],
  ['acr_values=aal2', { acr_values: 'aal2' }, '/account/security', 'factor_needed'],
  ['aal2 as essential', { claims: AAL2 }, '/account/security', 'factor_needed'],
]

/** Requests that get a code although something in them has no effect. */
const ANSWERED: ReadonlyArray<readonly [what: string, more: Sent]> = [
  ['prompt=none', { prompt: 'none' }],
  ['prompt=consent', { prompt: 'consent' }],
  ['an unknown scope', { scope: 'openid unknown' }],
  ['unknown members of claims', { claims: '{"id_token":{"x":null},"y":{}}' }],
  ['an empty max_age', { max_age: '' }],
  ['an unknown acr in acr_values', { acr_values: 'phr' }],
  ['a choice of levels', { acr_values: 'aal2 aal1' }],
  ['an authorization without the scope openid', { scope: 'email', nonce: undefined }],
  ['a continued that this service has not sealed', { continued: 'x' }],
]

describe('the authorization endpoint', () => {
  let provider: OpenIdService
  let shop: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId()
    shop = await provider.client()
    browser = newBrowser(provider)
    await browser.signIn()
  })
  after(() => provider.pages.stop())

  const written = async () =>
    (await succeed(provider.pages.service.store.readEvents({ after: 0, limit: 10_000 }))).length
  const tellsIn = ({ status, headers }: PageAnswer, mark: '?' | '#' = '?') => {
    const to = String(headers.location)
    expect([status, to.split(mark)[0]]).to.deep.equal([303, shop.redirectUri])
    return Object.fromEntries(new URLSearchParams(to.slice(to.indexOf(mark) + 1)))
  }

  for (const [what, more, error] of SHOWN)
    it(`shows a person a page for ${what}`, async () => {
      const entries = await written()
      const path = authorization(shop, more)
      const { status, headers, html } = await browser.get(path, { 'accept-language': 'de' })
      expect([status, headers.location]).to.deep.equal([400, undefined])
      expect(html)
        .to.include('<html lang="de">')
        .and.include('Die Anwendung hat eine falsche Anfrage geschickt')
      expect(html).to.include(`<code>${error}</code>`)
      expect(headers['content-security-policy']).to.include("frame-ancestors 'none'")
      const english = await browser.get(`${path}&ui_locales=en`, { 'accept-language': 'de' })
      expect(english.html).to.include('The application sent a wrong request')
      expect(await written()).to.equal(entries)
    })

  it('shows a person a page for an application that is revoked, or has no redirect URI', async () => {
    const { service } = provider.pages
    const revoked = await provider.client('revoked')
    expect((await browser.get(authorization(revoked))).status).to.equal(303)
    await succeed(service.revokeApplication(CONTEXT, revoked.id))
    const none = await provider.client('none', { redirectUris: [], logoutUris: [] })
    for (const client of [revoked, none]) {
      const { status, html } = await browser.get(authorization(client))
      expect([status, html.includes('<code>invalid_client</code>')]).to.deep.equal([400, true])
    }
  })

  for (const [what, more, error] of TOLD)
    it(`tells the client ${error} for ${what}`, async () => {
      const entries = await written()
      const answer = await browser.get(authorization(shop, more))
      const told = tellsIn(answer)
      expect(told).to.include({ error, state: more.state ?? STATE, iss: provider.issuer })
      expect(told).not.to.have.property('code')
      expect(told.error_description ?? '').to.match(/^[ !#-[\]-~]*$/)
      expect(answer.headers).to.include({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
      expect(await written()).to.equal(entries)
    })

  for (const type of ['token', 'id_token', 'code id_token', 'code token'])
    it(`tells the client that response_type=${type} is not supported`, async () => {
      const answer = await browser.get(authorization(shop, { response_type: type }))
      // Answers of types with a token belong into the fragment (OAuth 2.0 Multiple Response Types §5).
      const told = tellsIn(answer, '#')
      expect(told).to.include({ error: 'unsupported_response_type', state: STATE, iss: provider.issuer })
    })

  for (const name of ['state', 'scope', 'response_type', 'nonce', 'code_challenge', 'prompt', 'claims'])
    it(`refuses a repeated ${name}`, async () => {
      const answer = await browser.get(`${authorization(shop, { prompt: 'none', claims: '{}' })}&${name}=x`)
      const told = tellsIn(answer)
      expect(told).to.include({ error: 'invalid_request', iss: provider.issuer })
      expect(told.state).to.equal(name === 'state' ? undefined : STATE)
    })

  for (const name of ['client_id', 'redirect_uri'])
    it(`shows a person a page for a repeated ${name}`, async () => {
      const answer = await browser.get(`${authorization(shop)}&${name}=x`)
      expect([answer.status, answer.headers.location]).to.deep.equal([400, undefined])
    })

  for (const [what, more, page, notice] of ASKED)
    it(`leads to ${page} for ${what}`, async () => {
      const { status, headers } = await browser.get(authorization(shop, more))
      const to = new URL(String(headers.location), provider.issuer)
      expect([status, to.pathname, to.searchParams.get('notice')]).to.deep.equal([303, page, notice])
    })

  for (const [what, more] of ANSWERED)
    it(`answers ${what}`, async () => {
      const told = tellsIn(await browser.get(authorization(shop, more)))
      expect(told.code).to.match(/^[\w-]{43}$/)
      expect(told).to.deep.equal({ code: told.code, state: STATE, iss: provider.issuer })
    })

  it('answers response_mode=fragment in the fragment', async () => {
    const told = tellsIn(await browser.get(authorization(shop, { response_mode: 'fragment' })), '#')
    expect(told).to.include({ state: STATE, iss: provider.issuer }).and.to.have.property('code')
  })

  it('takes the request from the form of a POST, and nothing from its query', async () => {
    expect(toldClient(await browser.post('/oauth2/authorize', requestOf(shop)), shop)).to.have.property(
      'code',
    )
    const beside = await browser.post(authorization(shop), {})
    expect([beside.status, beside.headers.location]).to.deep.equal([400, undefined])
  })

  it('asks for the same request by GET if a POST has no cookie, unless it is long', async () => {
    const path = '/oauth2/authorize'
    const short = await provider.pages.post(path, requestOf(shop))
    const sent = new URL(String(short.headers.location), provider.issuer)
    expect([short.status, sent.pathname]).to.deep.equal([303, path])
    expect(Object.fromEntries(sent.searchParams)).to.deep.equal(requestOf(shop))
    const long = await provider.pages.post(path, {
      ...requestOf(shop),
      state: 'x'.repeat(5_000),
      prompt: 'none',
    })
    expect(toldClient(long, shop)).to.include({ error: 'login_required' })
  })

  const BODIES: ReadonlyArray<readonly [what: string, state: string, type: string, status: number]> = [
    ['a body of 20 KB', 'x'.repeat(20_000), 'application/x-www-form-urlencoded', 413],
    ['the type of JSON', 'x', 'application/json', 415],
    ['no type', 'x', '', 415],
  ]
  for (const [what, state, type, status] of BODIES)
    it(`answers a POST with ${what} with a page and ${status}`, async () => {
      const answer = await browser.post('/oauth2/authorize', { state }, { 'content-type': type })
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([
        status,
        'text/html; charset=utf-8',
      ])
    })

  it('answers a request that the server does not read with 431', async () => {
    expect((await browser.get(authorization(shop, { state: 'x'.repeat(40_000) }))).status).to.equal(431)
  })
})

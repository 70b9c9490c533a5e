import { expect } from 'chai'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import {
  authorization,
  exchangeOf,
  formOf,
  type JsonAnswer,
  json,
  later,
  newCode,
  newTokens,
  type Sent,
  sendAs,
  toldClient,
  VERIFIER,
} from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const PLAIN = { code_challenge: undefined, code_challenge_method: undefined }
const CLIENT_REFUSED = 'Basic realm="portcullis"'

describe('the token endpoint', () => {
  let provider: OpenIdService
  let shop: TestClient
  let other: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId({ THROTTLE_ADDRESS_FAILURES: '1000' })
    shop = await provider.client()
    other = await provider.client('other')
    browser = newBrowser(provider)
    await browser.signIn()
  })
  after(() => provider.pages.stop())

  const send = (form: Sent, client: Pick<TestClient, 'id' | 'secret'> = shop) =>
    sendAs(provider, client, form)
  /** Without a header. */
  const post = async (form: string) => json(await provider.pages.post('/oauth2/token', form))
  const expectRefused = ({ status, body, headers }: JsonAnswer, expected: number, error: string) => {
    expect([status, body.error]).to.deep.equal([expected, error])
    expect(body).to.include({ success: false, code: expected, error_description: body.message })
    expect(String(body.error_description)).to.match(/^[ !#-[\]-~]+$/)
    expect(headers['cache-control']).to.equal('no-store')
    expect(headers['www-authenticate']).to.equal(expected === 401 ? CLIENT_REFUSED : undefined)
  }

  type Change = Readonly<{ form?: Sent; as?: () => Pick<TestClient, 'id' | 'secret'> }>
  const EXCHANGES: ReadonlyArray<readonly [what: string, change: Change, status: number, error: string]> = [
    ['another client', { as: () => other }, 400, 'invalid_grant'],
    ['a wrong verifier', { form: { code_verifier: 'x'.repeat(43) } }, 400, 'invalid_grant'],
    ['no verifier', { form: { code_verifier: undefined } }, 400, 'invalid_grant'],
    ['a short verifier', { form: { code_verifier: 'x' } }, 400, 'invalid_request'],
    [
      'the redirect_uri of another page',
      { form: { redirect_uri: 'https://shop.example.com/' } },
      400,
      'invalid_grant',
    ],
    ['no redirect_uri', { form: { redirect_uri: undefined } }, 400, 'invalid_request'],
    ['no code', { form: { code: undefined } }, 400, 'invalid_request'],
    ['an unknown code', { form: { code: 'x'.repeat(43) } }, 400, 'invalid_grant'],
    ['another grant', { form: { grant_type: 'password' } }, 400, 'unsupported_grant_type'],
    ['no grant', { form: { grant_type: undefined } }, 400, 'invalid_request'],
    ['the client_id of another client', { form: { client_id: '0'.repeat(36) } }, 400, 'invalid_request'],
    ['a body of 20 KB', { form: { state: 'x'.repeat(20_000) } }, 413, 'invalid_request'],
    ['a key of another client', { as: () => ({ ...shop, secret: other.secret }) }, 401, 'invalid_client'],
    ['the secret of nobody', { as: () => ({ ...shop, secret: 'x' }) }, 401, 'invalid_client'],
    ['no secret', { as: () => ({ ...shop, secret: '' }) }, 401, 'invalid_client'],
  ]
  for (const [what, { form = {}, as = () => shop }, status, error] of EXCHANGES)
    it(`refuses a code with ${what}, and the right exchange still works`, async () => {
      const right = exchangeOf(shop, await newCode(browser, shop))
      expectRefused(await send({ ...right, ...form }, as()), status, error)
      expect((await send(right)).status).to.equal(200)
    })

  it('spells the names of parameters as they are', async () => {
    const right = exchangeOf(shop, await newCode(browser, shop))
    const { body } = await send({ ...right, code_verifier: 'x' })
    expect(body.message).to.match(/^code_verifier must be .*\.$/)
  })

  it('refuses keys in the header and in the form, and the code still works', async () => {
    const right = exchangeOf(shop, await newCode(browser, shop))
    const both = await send({ ...right, client_id: shop.id, client_secret: shop.secret })
    expectRefused(both, 400, 'invalid_request')
    expect((await send(right)).status).to.equal(200)
  })

  it('takes the keys in the form alone', async () => {
    const right = exchangeOf(shop, await newCode(browser, shop))
    const answer = await post(formOf({ ...right, client_id: shop.id, client_secret: shop.secret }))
    expect([answer.status, answer.headers.pragma]).to.deep.equal([200, 'no-cache'])
  })

  for (const name of ['code', 'grant_type', 'redirect_uri', 'code_verifier', 'client_id', 'client_secret'])
    it(`refuses a repeated ${name}`, async () => {
      const right = formOf({
        ...exchangeOf(shop, await newCode(browser, shop)),
        client_id: shop.id,
        client_secret: shop.secret,
      })
      expectRefused(await post(`${right}&${name}=x`), 400, 'invalid_request')
      expect((await post(right)).status).to.equal(200)
    })

  it('refuses JSON with 415', async () => {
    const right = exchangeOf(shop, await newCode(browser, shop))
    const headers = { 'content-type': 'application/json' }
    expectRefused(await sendAs(provider, shop, right, { headers }), 415, 'invalid_request')
  })

  it('takes a code for a minute', async () => {
    const inTime = exchangeOf(shop, await newCode(browser, shop))
    expect((await later(55, () => send(inTime))).status).to.equal(200)
    const late = exchangeOf(shop, await newCode(browser, shop))
    expectRefused(await later(61, () => send(late)), 400, 'invalid_grant')
  })

  for (const [seconds, form, hasEnded] of [
    [590, {}, true],
    [590, { code_verifier: 'x'.repeat(43) }, false],
    [601, {}, false],
  ] as const)
    it(`${hasEnded ? 'ends' : 'does not end'} the session of a code that comes again after ${seconds} seconds with ${formOf(form) || 'nothing else'}`, async () => {
      const person = newBrowser(provider)
      await person.signIn()
      const right = exchangeOf(shop, await newCode(person, shop))
      const { refresh_token } = (await send(right)).body as { refresh_token: string }
      expectRefused(await later(seconds, () => send({ ...right, ...form })), 400, 'invalid_grant')
      const refreshed = await send({ grant_type: 'refresh_token', refresh_token })
      expect(refreshed.status).to.equal(hasEnded ? 400 : 200)
    })

  const REFRESHES: ReadonlyArray<readonly [what: string, change: Change, status: number, error: string]> = [
    ['another client', { as: () => other }, 400, 'invalid_grant'],
    ['a wrong key', { as: () => ({ ...shop, secret: other.secret }) }, 401, 'invalid_client'],
    ['a scope that was not granted', { form: { scope: 'openid email' } }, 400, 'invalid_scope'],
    ['an unknown token', { form: { refresh_token: 'x'.repeat(43) } }, 400, 'invalid_grant'],
    ['no token', { form: { refresh_token: undefined } }, 400, 'invalid_request'],
  ]
  for (const [what, { form = {}, as = () => shop }, status, error] of REFRESHES)
    it(`refuses a refresh with ${what}, and the right one still works`, async () => {
      const { refresh_token } = await newTokens(provider, browser, shop)
      const right = { grant_type: 'refresh_token', refresh_token }
      expectRefused(await send({ ...right, ...form }, as()), status, error)
      expect((await send(right)).status).to.equal(200)
    })

  it('takes the last 20 refresh tokens of a session, and refuses the one before', async () => {
    const person = newBrowser(provider)
    await person.signIn()
    const tokens: Array<string> = []
    for (let each = 0; each < 21; each += 1)
      tokens.push((await newTokens(provider, person, shop)).refresh_token)
    const refresh = (refresh_token = '') => send({ grant_type: 'refresh_token', refresh_token })
    expectRefused(await refresh(tokens[0]), 400, 'invalid_grant')
    for (const token of tokens.slice(1)) expect((await refresh(token)).status).to.equal(200)
  })

  it('takes no token of another kind as a refresh token', async () => {
    const { access_token, id_token } = await newTokens(provider, browser, shop)
    for (const refresh_token of [access_token, id_token, await newCode(browser, shop)])
      expectRefused(await send({ grant_type: 'refresh_token', refresh_token }), 400, 'invalid_grant')
  })

  it('records wrong keys, as for client_credentials', async () => {
    const client = await provider.client('noted')
    const right = exchangeOf(client, await newCode(browser, client))
    await sendAs(provider, { ...client, secret: shop.secret }, right)
    const { data, actor } = await eventually('the refusal', async () =>
      (await eventsOf(provider.pages.service.store, 'ApplicationTokenRefused')).find(
        ({ subject }) => subject.id === client.id,
      ),
    )
    expect(data).to.deep.equal({ reason: 'wrong_private_key' })
    expect(actor).to.deep.equal({ kind: 'nobody' })
  })

  describe('to a public client', () => {
    let app: TestClient
    before(async () => {
      app = {
        ...(await provider.client('app', { client: 'public', redirectUris: ['com.example.app:/callback'] })),
        redirectUri: 'com.example.app:/callback',
      }
    })
    const form = async (more: Sent = {}) => ({
      ...exchangeOf(app, await codeOfApp()),
      client_id: app.id,
      ...more,
    })
    const codeOfApp = async () => {
      const { headers } = await browser.get(authorizationOfApp())
      return new URL(String(headers.location)).searchParams.get('code') ?? ''
    }
    const authorizationOfApp = () => authorization(app)

    it('gives tokens without a secret, and with the right one', async () => {
      expect((await post(formOf(await form()))).status).to.equal(200)
      expect((await post(formOf(await form({ client_secret: app.secret })))).status).to.equal(200)
    })

    it('refuses a wrong secret and a wrong verifier, and the right exchange still works', async () => {
      const right = await form()
      expectRefused(await post(formOf({ ...right, client_secret: shop.secret })), 401, 'invalid_client')
      expectRefused(await post(formOf({ ...right, code_verifier: 'x'.repeat(43) })), 400, 'invalid_grant')
      expectRefused(await post(formOf({ ...right, code_verifier: undefined })), 400, 'invalid_grant')
      expect((await post(formOf(right))).status).to.equal(200)
    })

    it('refuses the code of a confidential client', async () => {
      const stolen = exchangeOf(shop, await newCode(browser, shop))
      expectRefused(await post(formOf({ ...stolen, client_id: app.id })), 400, 'invalid_grant')
      expectRefused(await post(formOf({ ...stolen, client_id: shop.id })), 401, 'invalid_client')
    })

    it('gives no application token without a secret', async () => {
      const answer = await post(formOf({ grant_type: 'client_credentials', client_id: app.id }))
      expectRefused(answer, 401, 'invalid_client')
    })

    it('refuses a request without PKCE', async () => {
      const { headers } = await browser.get(authorization(app, PLAIN))
      expect(headers.location).to.match(/^com\.example\.app:\/callback\?error=invalid_request&/)
    })
  })

  describe('to a client whose PKCE is optional', () => {
    let old: TestClient
    before(async () => {
      old = await provider.client('old', { pkce: 'optional' })
    })

    it('gives tokens without PKCE', async () => {
      const code = await newCode(browser, old, PLAIN)
      expectRefused(await send({ ...exchangeOf(old, code) }, old), 400, 'invalid_grant')
      expect((await send({ ...exchangeOf(old, code), code_verifier: undefined }, old)).status).to.equal(200)
    })

    it('asks for the verifier of a challenge', async () => {
      const right = exchangeOf(old, await newCode(browser, old))
      expectRefused(await send({ ...right, code_verifier: undefined }, old), 400, 'invalid_grant')
      expect(right.code_verifier).to.equal(VERIFIER)
      expect((await send(right, old)).status).to.equal(200)
    })

    it('refuses the method plain', async () => {
      const answer = await browser.get(authorization(old, { code_challenge_method: 'plain' }))
      expect(toldClient(answer, old)).to.include({ error: 'invalid_request' })
    })
  })
})

describe('wrong keys at the token endpoint', () => {
  it('count on the network of the caller, whatever the grant', async () => {
    const provider = await startOpenId({ THROTTLE_ADDRESS_FAILURES: '3' })
    try {
      const shop = await provider.client()
      const statuses: Array<number> = []
      for (const form of [
        { grant_type: 'authorization_code', code: 'x', redirect_uri: shop.redirectUri },
        { grant_type: 'client_credentials' },
        { grant_type: 'refresh_token', refresh_token: 'x' },
        { grant_type: 'authorization_code', code: 'x', redirect_uri: shop.redirectUri },
      ])
        statuses.push((await sendAs(provider, { ...shop, secret: 'sk_x' }, form)).status)
      expect(statuses).to.deep.equal([401, 401, 401, 429])
    } finally {
      await provider.pages.stop()
    }
  })
})

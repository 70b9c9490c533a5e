import { expect } from 'chai'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import type { PageAnswer } from '../account-pages/pages-service.ts'
import { authorization, bearer, exchangeOf, formOf, json, newCode, newTokens, sendAs } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const USERINFO = '/oauth2/userinfo'
const NO_TOKEN = 'Bearer realm="portcullis"'
const INVALID = `${NO_TOKEN}, error="invalid_token", error_description="The token is not valid"`

describe('userinfo', () => {
  let provider: OpenIdService
  let shop: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId()
    shop = await provider.client('shop', { scope: 'users:sign_in' })
    browser = newBrowser(provider)
    await browser.signIn()
  })
  after(() => provider.pages.stop())

  const METHODS: ReadonlyArray<readonly [string, (token?: string) => Promise<PageAnswer>]> = [
    ['GET', (token) => provider.pages.get(USERINFO, token === undefined ? {} : bearer(token))],
    ['POST', (token) => provider.pages.post(USERINFO, '', token === undefined ? {} : bearer(token))],
  ]
  /** A token that the application got for a password at the API. */
  const tokenOfApi = async (): Promise<string> => {
    const keys = { public_api_key: `pk_${shop.id}`, private_api_key: shop.secret }
    const ofApplication = json(
      await provider.pages.post('/api/v1/auth/application/token', JSON.stringify(keys), {
        'content-type': 'application/json',
      }),
    )
    const { email, password } = provider.pages.ada
    const ofUser = json(
      await provider.pages.post('/api/v1/auth/user/token', JSON.stringify({ email, password }), {
        'content-type': 'application/json',
        ...bearer(String(ofApplication.body.token)),
      }),
    )
    return String(ofUser.body.token)
  }

  for (const [method, ask] of METHODS) {
    it(`tells by ${method} what the scopes permit`, async () => {
      const { access_token } = await newTokens(provider, browser, shop, { scope: 'openid email' })
      const answer = json(await ask(access_token))
      const { id, email } = provider.pages.ada
      expect([answer.status, answer.headers['cache-control']]).to.deep.equal([200, 'no-store'])
      expect(answer.body).to.deep.equal({ sub: id, email, email_verified: false })
    })

    const REFUSED: ReadonlyArray<
      readonly [what: string, token: () => Promise<string | undefined>, status: number, challenge: string]
    > = [
      ['no token', async () => undefined, 401, NO_TOKEN],
      ['no token of ours', async () => 'x', 401, INVALID],
      ['an ID token', async () => (await newTokens(provider, browser, shop)).id_token, 401, INVALID],
      ['a refresh token', async () => (await newTokens(provider, browser, shop)).refresh_token, 401, INVALID],
      ['a code', () => newCode(browser, shop), 401, INVALID],
      ['a token of the API', tokenOfApi, 403, `${NO_TOKEN}, error="insufficient_scope", scope="openid"`],
    ]
    for (const [what, token, status, challenge] of REFUSED)
      it(`refuses ${what} by ${method}`, async () => {
        const answer = await ask(await token())
        expect([answer.status, answer.headers['www-authenticate']]).to.deep.equal([status, challenge])
      })

    it(`refuses by ${method} a token that was asked for without the scope openid`, async () => {
      const client = await provider.client(`plain-${method.toLowerCase()}`)
      const code = await newCode(browser, client, { scope: 'email', nonce: undefined })
      const { body } = await sendAs(provider, client, exchangeOf(client, code))
      expect(body).not.to.have.property('id_token')
      const answer = await ask(String(body.access_token))
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.include('error="insufficient_scope"')
    })

    it(`refuses by ${method} a token whose session has ended`, async () => {
      const elsewhere = newBrowser(provider)
      await elsewhere.signIn()
      const { access_token } = await newTokens(provider, elsewhere, shop)
      expect((await ask(access_token)).status).to.equal(200)
      await sendAs(provider, shop, { token: access_token }, { path: '/oauth2/revoke' })
      expect((await ask(access_token)).status).to.equal(401)
    })
  }

  it('takes no token from the body or the query', async () => {
    const { access_token } = await newTokens(provider, browser, shop)
    const inBody = await provider.pages.post(USERINFO, formOf({ access_token }))
    const inQuery = await provider.pages.get(`${USERINFO}?access_token=${access_token}`)
    expect([inBody.status, inQuery.status]).to.deep.equal([401, 401])
  })

  it('is not the only use of a token: it is one of the API', async () => {
    const { access_token } = await newTokens(provider, browser, shop)
    const { status, body } = json(await provider.pages.get('/api/v1/profile', bearer(access_token)))
    expect([status, body.id]).to.deep.equal([200, provider.pages.ada.id])
  })
})

describe('a stranger who sends another Host', () => {
  const STRANGER = {
    host: 'evil.example',
    forwarded: 'host=evil.example;proto=gopher',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-port': '666',
    'x-original-host': 'evil.example',
  }

  it('finds it in no answer', async () => {
    const provider = await startOpenId()
    const { pages } = provider
    try {
      const shop = await provider.client()
      const browser = newBrowser(provider)
      const seen: Array<PageAnswer> = []
      const see = async (answer: PageAnswer) => {
        seen.push(answer)
        return answer
      }
      await see(await pages.get('/.well-known/openid-configuration', STRANGER))
      await see(await pages.get('/.well-known/oauth-authorization-server', STRANGER))
      await see(await browser.get(authorization(shop), STRANGER))
      await see(await browser.get(authorization(shop, { prompt: 'none' }), STRANGER))
      await see(await browser.get(authorization(shop, { client_id: 'x' }), STRANGER))
      await browser.signIn()
      const answer = await see(await browser.get(authorization(shop), STRANGER))
      const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
      await see(await browser.get(authorization(shop, { response_mode: 'form_post' }), STRANGER))
      await see(await browser.get(authorization(shop, { prompt: 'login' }), STRANGER))
      await see(await sendAs(provider, shop, exchangeOf(shop, 'x'), { headers: STRANGER }))
      const tokens = await see(await sendAs(provider, shop, exchangeOf(shop, code), { headers: STRANGER }))
      const { access_token = '', id_token = '' } = JSON.parse(tokens.html)
      await see(await pages.get(USERINFO, { ...STRANGER, ...bearer(access_token) }))
      await see(await pages.get(`/oauth2/end_session?id_token_hint=${id_token}`, STRANGER))
      await see(await browser.get(`/oauth2/end_session/confirm?id_token_hint=${id_token}`, STRANGER))
      const shown = seen.map(({ headers, html }) => JSON.stringify([headers, html]))
      expect(shown.filter((one) => /evil\.example|gopher|:666/.test(one))).to.deep.equal([])
      expect(seen.map(({ status }) => status)).to.deep.equal([
        200, 200, 303, 303, 400, 303, 200, 303, 400, 200, 200, 303, 200,
      ])
      const claims = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
      expect(claims.iss).to.equal(provider.issuer)
    } finally {
      await pages.stop()
    }
  })
})

import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser, type RelyingParty, relyingParty } from './relying-party.ts'

describe('the ID token of a client', () => {
  let provider: OpenIdService
  let shop: TestClient
  let blog: TestClient
  let party: RelyingParty
  let idToken: string
  let accessToken: string
  const browser = () => newBrowser(provider)

  before(async () => {
    provider = await startOpenId()
    shop = await provider.client('shop')
    blog = await provider.client('blog')
    party = await relyingParty(provider.issuer, shop)
    const signedIn = browser()
    await signedIn.signIn()
    const { headers } = await signedIn.get(await party.begin())
    const tokens = await party.complete(String(headers.location))
    idToken = tokens.id_token ?? ''
    accessToken = tokens.access_token
  })
  after(() => provider.pages.stop())

  const logout = async (parameters: Readonly<Record<string, string>>) =>
    browser().get(`/oauth2/end_session/confirm?${new URLSearchParams(parameters)}`)

  /** Tokens that this service has not signed as ID tokens of the shop. */
  const forged = (): Readonly<Record<string, string>> => {
    const [head = '', claims = '', signature = ''] = idToken.split('.')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    const symmetric = Buffer.from('{"alg":"HS256"}').toString('base64url')
    const mac = createHmac('sha256', shop.secret).update(`${symmetric}.${claims}`).digest('base64url')
    return {
      'no signature': `${unsigned}.${claims}.`,
      'the signature of the secret': `${symmetric}.${claims}.${mac}`,
      'an altered signature': `${head}.${claims}.${signature.slice(0, -8)}AAAAAAAA`,
      'other claims': `${head}.${Buffer.from(JSON.stringify({ aud: shop.id })).toString('base64url')}.${signature}`,
      'that of an access token': accessToken,
    }
  }

  it('names the client at a logout, however old it is', async () => {
    const answer = await logout({ id_token_hint: idToken, post_logout_redirect_uri: shop.logoutUri })
    expect(answer.headers.location).to.equal(shop.logoutUri)
  })

  it('leads no person to an address of another client', async () => {
    for (const parameters of [
      { id_token_hint: idToken, post_logout_redirect_uri: blog.logoutUri },
      { id_token_hint: idToken, client_id: blog.id, post_logout_redirect_uri: blog.logoutUri },
      { client_id: shop.id, post_logout_redirect_uri: shop.redirectUri },
      { post_logout_redirect_uri: shop.logoutUri },
    ])
      expect([parameters, (await logout(parameters)).status]).to.deep.equal([parameters, 422])
  })

  it('lets a page say that a person is still signed in only if one is', async () => {
    const wrong = `/oauth2/end_session/confirm?${new URLSearchParams({ client_id: shop.id, post_logout_redirect_uri: blog.logoutUri })}`
    const person = browser()
    const nobody = await person.get(wrong)
    expect([nobody.status, nobody.html.includes('The address to return to is not')]).to.deep.equal([
      422,
      true,
    ])
    expect(nobody.html).not.to.match(/still signed in|sign-out"/)
    await person.signIn()
    const somebody = await person.get(wrong)
    expect([somebody.status, somebody.html.includes('You are still signed in')]).to.deep.equal([422, true])
    expect(somebody.html).to.match(/sign-out"/)
  })

  const UNREADABLE: ReadonlyArray<readonly [what: string, form: string, type: string, status: number]> = [
    ['of another type', '{}', 'application/json', 415],
    ['that is too large', `state=${'x'.repeat(20_000)}`, 'application/x-www-form-urlencoded', 413],
    ['with a repeated parameter', 'state=x&state=y', 'application/x-www-form-urlencoded', 400],
  ]
  for (const [what, form, type, status] of UNREADABLE)
    it(`is not read in a form ${what}: a browser shows a page, and others get JSON`, async () => {
      const post = (accept: string) =>
        provider.pages.post('/oauth2/end_session', form, {
          'content-type': type,
          'accept-language': 'de',
          accept,
        })
      const page = await post('text/html,application/xhtml+xml')
      expect([page.status, page.headers['content-type']]).to.deep.equal([status, 'text/html; charset=utf-8'])
      expect(page.html).to.include('<html lang="de">')
      const json = await post('*/*')
      expect([json.status, JSON.parse(json.html).code]).to.deep.equal([status, status])
    })

  it('counts only if this service has signed it', async () => {
    for (const [what, hint] of Object.entries(forged())) {
      const answer = await logout({ id_token_hint: hint, post_logout_redirect_uri: shop.logoutUri })
      expect(answer.status, what).to.equal(422)
      const refused = await browser().get(await party.begin({ id_token_hint: hint, prompt: 'none' }))
      expect(refused.headers.location, what).to.include('error=invalid_request')
    }
  })

  it('counts only at the client that it is for', async () => {
    const other = await relyingParty(provider.issuer, blog)
    const { headers } = await browser().get(await other.begin({ id_token_hint: idToken, prompt: 'none' }))
    expect(headers.location).to.include('error=invalid_request')
  })
})

describe('the state of a logout', () => {
  let provider: OpenIdService
  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  it('cannot lead elsewhere, whatever it contains', async () => {
    const uri = 'https://shop.example.com/bye?a=b'
    const { id } = await provider.client('shop', { logoutUris: [uri] })
    for (const state of [
      '"; url=//evil.example',
      "';,",
      '\r\nLocation: //evil.example',
      '#&x=y',
      'ü',
      '\ud800',
    ]) {
      const browser = newBrowser(provider)
      await browser.signIn()
      const parameters = { client_id: id, post_logout_redirect_uri: uri, state }
      const { headers } = await browser.post('/oauth2/end_session/confirm', parameters)
      const [, to = ''] = /^0; url=([!-~]+)$/.exec(String(headers.refresh)) ?? []
      expect(to.startsWith(`${uri}&state=`), state).to.equal(true)
      expect([...new URL(to).searchParams.keys()]).to.deep.equal(['a', 'state'])
      expect(to).not.to.match(/["';,<>]/)
    }
  })
})

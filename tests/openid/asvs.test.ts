import { expect } from 'chai'
import * as oidc from 'openid-client'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { follow, newBrowser, relyingParty } from './relying-party.ts'

describe('what the OpenID provider gives to clients', () => {
  let provider: OpenIdService
  let ahead = 0
  const realNow = Date.now
  let startedAt = realNow()
  before(async () => {
    provider = await startOpenId({ SESSION_TTL: '50000' })
    // The library reads this clock itself, in whole seconds: so none passes within a test.
    Date.now = () => startedAt + ahead * 1_000
  })
  beforeEach(() => {
    ahead = 0
    startedAt = realNow()
  })
  after(async () => {
    Date.now = realNow
    await provider.pages.stop()
  })

  /** A client, and its callback with a code. */
  const authorized = async () => {
    const client = await relyingParty(provider.issuer, await provider.client())
    const browser = newBrowser(provider)
    const callback = await follow(browser, provider.issuer, await client.begin())
    return { client, browser, callback }
  }

  describe('a code', () => {
    for (const [seconds, isGood] of [
      [59, true],
      [61, false],
    ] as const)
      it(`is good for 60 seconds: ${seconds}`, async () => {
        const { client, callback } = await authorized()
        ahead = seconds
        const result = await client.complete(callback).then(
          () => true,
          ({ error }: oidc.ResponseBodyError) => error,
        )
        expect(result).to.equal(isGood ? true : 'invalid_grant')
      })
  })

  describe('a refresh token', () => {
    it('ends with the session, however often it is used', async () => {
      const { client, callback } = await authorized()
      let tokens = await client.complete(callback, { idTokenExpected: false })
      for (ahead = 10_000; ahead < 50_000; ahead += 10_000)
        tokens = await oidc.refreshTokenGrant(client.config, tokens.refresh_token ?? '')
      expect(tokens.expires_in).to.be.within(9_000, 10_000)
      ahead = 50_001
      const late = oidc.refreshTokenGrant(client.config, tokens.refresh_token ?? '')
      expect(await late.catch(({ error }: oidc.ResponseBodyError) => error)).to.equal('invalid_grant')
    })
  })

  for (const type of ['token', 'id_token', 'id_token token', 'code id_token', 'code token', 'none'])
    it(`gives nothing but a code: ${type}`, async () => {
      const { client, browser } = await authorized()
      const { headers } = await browser.get(await client.begin({ response_type: type }))
      const location = String(headers.location)
      expect(location)
        .to.include('error=unsupported_response_type')
        .and.not.match(/[?&#](?:\w*_token|code)=/)
    })

  for (const [what, more] of [
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['the method plain', { code_challenge_method: 'plain' }],
  ] as const)
    it(`gives no code without PKCE: ${what}`, async () => {
      const { client, browser } = await authorized()
      const { headers } = await browser.get(await client.begin(more))
      expect(String(headers.location))
        .to.include('error=invalid_request')
        .and.not.match(/[?&]code=/)
    })

  it('ends nothing by a link', async () => {
    const { client, browser, callback } = await authorized()
    const tokens = await client.complete(callback)
    const asked = await browser.get(`/oauth2/end_session?id_token_hint=${tokens.id_token}`)
    const page = await browser.get(String(asked.headers.location))
    expect([asked.status, page.status]).to.deep.equal([303, 200])
    expect(await oidc.refreshTokenGrant(client.config, tokens.refresh_token ?? '')).to.have.property(
      'access_token',
    )
  })
})

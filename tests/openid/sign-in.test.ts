import { expect } from 'chai'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { follow, newBrowser, relyingParty } from './relying-party.ts'

describe('a client of the provider', () => {
  let provider: OpenIdService

  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  it('learns who signed in, and the person signs in once for two clients', async () => {
    const { issuer, pages } = provider
    const shop = await relyingParty(issuer, await provider.client('shop'))
    const browser = newBrowser(provider)
    const callback = await follow(browser, issuer, await shop.begin())
    const tokens = await shop.complete(callback)
    const claims = tokens.claims()
    expect(claims).to.include({ iss: issuer, sub: pages.ada.id, acr: 'aal1', email: pages.ada.email })
    const userinfo = await oidc.fetchUserInfo(shop.config, tokens.access_token, pages.ada.id)
    expect(userinfo).to.include({ sub: pages.ada.id, email: pages.ada.email })
    const renewed = await oidc.refreshTokenGrant(shop.config, tokens.refresh_token ?? '')
    expect(renewed.refresh_token).to.be.a('string').and.not.equal(tokens.refresh_token)
    expect(decodeJwt(renewed.access_token).sid).to.equal(claims?.sid)
    const blog = await relyingParty(issuer, await provider.client('blog'))
    const direct = await browser.get(await blog.begin({ prompt: 'none' }))
    const second = await blog.complete(String(direct.headers.location))
    expect(second.claims()?.sub).to.equal(pages.ada.id)
  })

  it('needs no scopes of the application, and gets no token of its own', async () => {
    const bare = await provider.client('bare', { scope: '' })
    const party = await relyingParty(provider.issuer, bare)
    const tokens = await party.complete(
      await follow(newBrowser(provider), provider.issuer, await party.begin()),
    )
    expect(tokens.claims()?.sub).to.equal(provider.pages.ada.id)
    const refused = await oidc.clientCredentialsGrant(party.config).catch((error: unknown) => error)
    expect(refused).to.include({
      error: 'invalid_scope',
      error_description: 'The application has no scopes, so it gets no token.',
      status: 400,
    })
  })

  it('is named on the page where the person signs in', async () => {
    const news = await relyingParty(provider.issuer, await provider.client('news'))
    const browser = newBrowser(provider)
    const { headers } = await browser.get(await news.begin({ ui_locales: 'de' }))
    const page = await browser.get(String(headers.location))
    expect(page.html).to.contain('Melden Sie sich an, um bei news weiterzumachen.')
  })
})

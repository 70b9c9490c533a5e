import { expect } from 'chai'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { authorization } from './code-flow.ts'
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

  it('says that a browser refused the cookie, if it comes back from the sign-in without it', async () => {
    const { pages } = provider
    const client = await provider.client('refused')
    const english = { 'accept-language': 'en' }
    const start = await pages.get(authorization(client), english)
    expect(start.headers.location).not.to.include('notice=')
    const onward = new URL(String(start.headers.location), provider.issuer).searchParams.get('continue') ?? ''
    const signedIn = await newBrowser(provider).signIn({ continue: onward })
    expect(signedIn.headers.refresh).to.equal(`0; url=${onward}`)
    const again = await pages.get(onward, english)
    const page = await pages.get(String(again.headers.location), english)
    expect([
      page.status,
      page.html.includes('Your browser refused the cookie of your sign-in.'),
    ]).to.deep.equal([200, true])
    const chosen = await pages.get(authorization(client, { prompt: 'select_account' }))
    expect(String(chosen.headers.location).match(/&notice=/g)).to.have.length(1)
  })

  it('says nothing of cookies to a browser whose session has ended', async () => {
    const { pages } = provider
    const client = await provider.client('stale')
    const start = await pages.get(authorization(client))
    const onward = new URL(String(start.headers.location), provider.issuer).searchParams.get('continue') ?? ''
    const stale = await pages.get(onward, { cookie: '__Host-portcullis=x' })
    expect([stale.status, String(stale.headers.location).includes('notice=')]).to.deep.equal([303, false])
  })
})

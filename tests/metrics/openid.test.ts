import { expect } from 'chai'
import * as oidc from 'openid-client'
import { startOpenId } from '../openid/openid-service.ts'
import { follow, newBrowser, relyingParty } from '../openid/relying-party.ts'
import { scrape } from '../support/scrape.ts'

describe('the metrics of the OpenID provider', () => {
  it('count authorizations and grants by their result', async () => {
    const provider = await startOpenId()
    const { issuer, pages } = provider
    const shop = await relyingParty(issuer, await provider.client())
    const browser = newBrowser(provider)
    for (const response_mode of ['query', 'form_post', 'fragment'])
      await browser.get(await shop.begin({ prompt: 'none', response_mode }))
    await browser.get((await shop.begin()).replace('callback', 'other'))
    const callback = await follow(browser, issuer, await shop.begin())
    const tokens = await shop.complete(callback)
    await oidc.refreshTokenGrant(shop.config, tokens.refresh_token ?? '')
    await oidc.refreshTokenGrant(shop.config, 'none').catch(() => undefined)
    const { value } = await scrape(issuer)
    const authorizations = ['granted', 'page', 'refused'].map((result) =>
      value(`portcullis_openid_authorizations_total{result="${result}"}`),
    )
    expect(authorizations).to.deep.equal([1, 1, 4])
    const grants = ['authorization_code', 'refresh_token'].map((grant) =>
      ['granted', 'refused'].map((result) =>
        value(`portcullis_openid_grants_total{grant="${grant}",result="${result}"}`),
      ),
    )
    expect(grants).to.deep.equal([
      [1, 0],
      [1, 1],
    ])
    await pages.stop()
  })
})

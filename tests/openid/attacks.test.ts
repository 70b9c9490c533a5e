import { expect } from 'chai'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { newBrowser, relyingParty } from './relying-party.ts'

describe('a request for authorization from another site', () => {
  let provider: OpenIdService

  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  it('asks which account to use, also if its form came without cookies', async () => {
    const shop = await relyingParty(provider.issuer, await provider.client())
    const browser = newBrowser(provider)
    await browser.signIn()
    const [, query = ''] = (await shop.begin({ prompt: 'select_account' })).split('?')
    const { headers } = await provider.pages.post('/oauth2/authorize', query)
    const asked = await browser.get(String(headers.location))
    const page = await browser.get(String(asked.headers.location))
    expect(page.status).to.equal(200)
    expect(page.html).to.include('With which account do you want to go on?')
    expect(page.html).to.include(`Stay signed in as ${provider.pages.ada.email}`)
  })
})

import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import { authorization, requestOf, sendAs } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const UNKNOWN = '01a222c1-f0ec-7391-9f1f-f86dfb59e08f'
const ATTACK = 'https://shop.example.com/"<script>\' é'

describe('a request with a redirect_uri that is not registered', () => {
  const { log, lines } = capturedLog()
  let provider: OpenIdService
  let shop: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId(
      {},
      provide(Dependency.log, () => log),
    )
    shop = await provider.client()
    browser = newBrowser(provider)
  })
  after(() => provider.pages.stop())

  it('shows which redirect_uri is not registered, and how to register it', async () => {
    const { html } = await browser.get(authorization(shop, { redirect_uri: `${ATTACK}${'x'.repeat(300)}` }))
    const shown = `https://shop.example.com/%22&lt;script&gt;&#39;%20%C3%A9${'x'.repeat(154)}...`
    expect(html)
      .to.include(`redirect_uri &#39;${shown}&#39; is not registered.`)
      .and.include('portcullis application set ID --redirect-uri URI')
  })

  it('logs the error of a page, and nothing that was sent', async () => {
    const from = lines.length
    await browser.get(authorization(shop, { redirect_uri: ATTACK }))
    const logged = lines.slice(from).filter((line) => line.includes('"/oauth2/authorize"'))
    expect(logged.map((line) => JSON.parse(line).cause)).to.deep.equal(['invalid_redirect_uri'])
    expect(logged.join('')).not.to.include('shop.example.com')
  })

  it('shows no redirect_uri that is no URI: it may be a secret', async () => {
    const { html } = await browser.get(authorization(shop, { redirect_uri: 'sk_secret' }))
    expect(html).to.include(' redirect_uri is not registered.').and.not.include('sk_secret')
  })

  it('shows no redirect_uri for an unknown client', async () => {
    const unknown = { client_id: UNKNOWN, redirect_uri: ATTACK }
    const { html } = await browser.get(authorization(shop, unknown))
    expect(html).to.include('<code>invalid_client</code>').and.not.include('redirect_uri')
  })

  it('tells a client that pushes its request which redirect_uri is not registered', async () => {
    const push = (client: TestClient) =>
      sendAs(provider, client, { ...requestOf(client), redirect_uri: ATTACK }, { path: '/oauth2/par' })
    const { status, body } = await push(shop)
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    expect(body.error_description)
      .to.match(/^redirect_uri 'https:\/\/shop\.example\.com\/%22<script>'%20%C3%A9' is not registered\. /)
      .and.match(/^[ !#-[\]-~]+ --redirect-uri URI\.$/)
    const unknown = await push({ ...shop, id: UNKNOWN })
    expect([unknown.status, unknown.body.error]).to.deep.equal([401, 'invalid_client'])
    expect(JSON.stringify(unknown.body)).not.to.include('redirect_uri')
  })
})

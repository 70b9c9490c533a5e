import { expect } from 'chai'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import { authorization, exchangeOf, formOf } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const REGISTERED = ['http://127.0.0.1/callback', 'http://[::1]:8000/callback', 'com.example.app:/callback']

describe('the redirect URI of an app on a device', () => {
  let provider: OpenIdService
  let app: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId()
    app = await provider.client('app', { client: 'public', redirectUris: REGISTERED })
    browser = newBrowser(provider)
    await browser.signIn()
  })
  after(() => provider.pages.stop())

  const ask = (redirectUri: string, client = app) => browser.get(authorization({ ...client, redirectUri }))
  const exchange = async (redirectUri: string, code: string) =>
    (
      await provider.pages.post(
        '/oauth2/token',
        formOf({ ...exchangeOf({ ...app, redirectUri }, code), client_id: app.id }),
      )
    ).status

  const TAKEN = [
    'http://127.0.0.1/callback',
    'http://127.0.0.1:54321/callback',
    'http://[::1]:54321/callback',
    'com.example.app:/callback',
  ]
  for (const uri of TAKEN)
    it(`may be ${uri}, and the exchange needs the same`, async () => {
      const { status, headers } = await ask(uri)
      const to = String(headers.location)
      expect([status, to.split('?')[0]]).to.deep.equal([303, uri])
      const code = new URL(to).searchParams.get('code') ?? ''
      expect(await exchange('http://127.0.0.1:1/callback', code)).to.equal(400)
      expect(await exchange(uri, code)).to.equal(200)
    })

  const REFUSED = [
    'http://localhost:54321/callback',
    'http://127.0.0.2/callback',
    'http://127.0.0.1:54321/other',
    'http://127.0.0.1:54321/callback?x=y',
    'https://127.0.0.1:54321/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://127.0.0.1:54321@evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'com.example.app:/other',
    'com.example.app://callback',
    'com.example.other:/callback',
  ]
  for (const uri of REFUSED)
    it(`is not ${uri}`, async () => {
      const { status, headers } = await ask(uri)
      expect([status, headers.location]).to.deep.equal([400, undefined])
    })

  it('has any port only without a secret', async () => {
    const redirectUris = ['http://127.0.0.1:8000/callback']
    const web = await provider.client('web', { redirectUris })
    expect((await ask('http://127.0.0.1:8000/callback', web)).status).to.equal(303)
    expect((await ask('http://127.0.0.1:8001/callback', web)).status).to.equal(400)
  })
})

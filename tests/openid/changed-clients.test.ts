import { expect } from 'chai'
import type { ClientRequest } from '../../domain/redirect-uris.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { newBrowser, relyingParty } from './relying-party.ts'

const OTHER = 'https://other.example.com/callback'

describe('a client that an operator changes', () => {
  let provider: OpenIdService
  let clients = 0

  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  const newShop = async (more: ClientRequest = {}) => {
    clients += 1
    const client = await provider.client(`shop-${clients}`, more)
    const party = await relyingParty(provider.issuer, {
      ...client,
      secret: more.client === 'public' ? undefined : client.secret,
    })
    const browser = newBrowser(provider)
    await browser.signIn()
    const { service } = provider.pages
    return {
      ...party,
      change: (change: ClientRequest) => succeed(service.setApplication(CONTEXT, client.id, change)),
      revoke: () => succeed(service.revokeApplication(CONTEXT, client.id)),
      authorize: async (more: Readonly<Record<string, string>> = {}) => browser.get(await party.begin(more)),
    }
  }

  it('gets no code at a redirect URI that it had', async () => {
    const shop = await newShop()
    expect((await shop.authorize()).status).to.equal(303)
    await shop.change({ redirectUris: [OTHER] })
    const { status, html, headers } = await shop.authorize()
    expect([status, headers.location]).to.deep.equal([400, undefined])
    expect(html).to.include('invalid_redirect_uri')
    expect((await shop.authorize({ redirect_uri: OTHER })).headers.location).to.match(/^https:\/\/other/)
  })

  it('is no client without a redirect URI, and none once it is revoked', async () => {
    for (const end of ['change', 'revoke'] as const) {
      const shop = await newShop()
      const { headers } = await shop.authorize()
      await (end === 'change' ? shop.change({ redirectUris: [] }) : shop.revoke())
      const { status, html } = await shop.authorize()
      expect(status, end).to.equal(400)
      expect(html, end).to.include('invalid_client')
      const failure = await shop.complete(String(headers.location)).catch((error: Error) => error)
      expect(failure, end).to.be.instanceOf(Error)
    }
  })

  it('needs PKCE from the moment it is required', async () => {
    const shop = await newShop({ pkce: 'optional' })
    const without = { code_challenge: '', code_challenge_method: '' }
    expect((await shop.authorize(without)).headers.location).to.include('?code=')
    await shop.change({ pkce: 'required' })
    expect((await shop.authorize(without)).headers.location).to.include('error=invalid_request')
  })

  it('needs its secret from the moment it is confidential', async () => {
    const shop = await newShop({ client: 'public' })
    const { headers } = await shop.authorize()
    await shop.change({ client: 'confidential' })
    const failure = await shop.complete(String(headers.location)).catch((error: Error) => error)
    expect(failure).to.have.property('status', 401)
  })
})

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { POST_SCRIPT } from '../../adapters/http/pages/script.ts'
import { type BrowserDesk, hiddenIn } from '../account-pages/browser-desk.ts'
import { describeInBrowser } from '../support/browser.ts'
import { authorization, exchangeOf, STATE, sendAs } from './code-flow.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

const FORM_POST = { response_mode: 'form_post' }

describe('response_mode=form_post', () => {
  let provider: OpenIdService
  let shop: TestClient
  let browser: BrowserDesk
  before(async () => {
    provider = await startOpenId()
    shop = await provider.client()
    browser = newBrowser(provider)
    await browser.signIn()
  })
  after(() => provider.pages.stop())

  it('answers with a form whose code the client can exchange', async () => {
    const page = await browser.get(authorization(shop, FORM_POST))
    expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
    expect(page.html).to.include(`<form method="post" action="${shop.redirectUri}">`)
    expect([hiddenIn(page, 'state'), hiddenIn(page, 'iss')]).to.deep.equal([STATE, provider.issuer])
    const answer = await sendAs(provider, shop, exchangeOf(shop, hiddenIn(page, 'code')))
    expect(answer.status).to.equal(200)
  })

  it('posts an error, too', async () => {
    const page = await browser.get(authorization(shop, { ...FORM_POST, code_challenge: undefined }))
    expect([page.status, hiddenIn(page, 'error'), hiddenIn(page, 'state')]).to.deep.equal([
      200,
      'invalid_request',
      STATE,
    ])
  })

  it('escapes what the client sent', async () => {
    const page = await browser.get(
      authorization(shop, { ...FORM_POST, state: '"><script>alert(1)</script>' }),
    )
    expect(page.html).to.include('name="state" value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
  })

  it('speaks the language of the person, for browsers without a script', async () => {
    const page = await browser.get(authorization(shop, { ...FORM_POST, ui_locales: 'de' }))
    expect(page.html).to.include('<html lang="de">').and.include('<button>Weiter</button>')
  })

  it('permits one script and no frame, and limits no form: the client may redirect on', async () => {
    const { headers, html } = await browser.get(authorization(shop, FORM_POST))
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
    const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    expect(headers).to.include({
      'content-security-policy': `default-src 'none'; script-src ${sourceOf(POST_SCRIPT)}; style-src ${sourceOf(style)}; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'strict-origin',
      'cache-control': 'no-store',
    })
  })
})

describeInBrowser('a client that gets its answer as a form', (visit) => {
  let provider: OpenIdService
  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  for (const javaScriptEnabled of [true, false])
    it(`gets it ${javaScriptEnabled ? 'at once' : 'after a click, without a script'}, and may redirect on to another origin`, async () => {
      const { issuer, pages } = provider
      const posts: Array<string> = []
      const home = await listen((_, response) => response.end('at home'))
      const callback = await listen(async (request, response) => {
        posts.push(await text(request))
        response.writeHead(303, { location: home.url }).end()
      })
      const shop = await provider.client('shop', { redirectUris: [callback.url] })
      const redirectUri = callback.url
      await visit(
        issuer,
        async ({ page, complaints }) => {
          await page.context().route(redirectUri, (route) => route.continue())
          await page.goto(`${issuer}${authorization({ ...shop, redirectUri }, FORM_POST)}`)
          await page.fill('[name=email]', pages.ada.email)
          await page.fill('[name=password]', pages.ada.password)
          await page.click('main form button:not([type=button])')
          if (!javaScriptEnabled) await page.click(`form[action="${redirectUri}"] button`)
          await page.waitForURL(home.url)
          expect(posts).to.have.lengthOf(1)
          expect(Object.fromEntries(new URLSearchParams(posts[0]))).to.include({ state: STATE, iss: issuer })
          expect(complaints).to.deep.equal([])
        },
        { javaScriptEnabled },
      )
      await Promise.all([home.close(), callback.close()])
    })
})

/** A server of somebody else. */
const listen = async (answer: RequestListener) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/here`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

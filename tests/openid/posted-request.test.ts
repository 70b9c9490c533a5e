import { expect } from 'chai'
import { describeInBrowser } from '../support/browser.ts'
import { requestOf, STATE } from './code-flow.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'

describeInBrowser('a request that a page of a client posts', (visit) => {
  let provider: OpenIdService
  before(async () => {
    provider = await startOpenId()
  })
  after(() => provider.pages.stop())

  for (const [what, more] of [
    ['', {}],
    [', also with prompt=none', { prompt: 'none' }],
  ] as const)
    it(`finds the session of the browser, whose cookie does not come with the form${what}`, async () => {
      const { issuer, pages } = provider
      const shop = await provider.client(`shop${Object.keys(more).length}`)
      const { origin } = new URL(shop.redirectUri)
      const inputs = Object.entries({ ...requestOf(shop), ...more }).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
      )
      const form = `<form method="post" action="${issuer}/oauth2/authorize">${inputs.join('')}<button>Sign in</button></form>`
      await visit(issuer, async ({ page }) => {
        await page
          .context()
          .route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: form }))
        await page.goto(`${issuer}/account/sign-in`)
        await page.fill('[name=email]', pages.ada.email)
        await page.fill('[name=password]', pages.ada.password)
        await page.click('main form button:not([type=button])')
        await page.waitForURL(`${issuer}/account`)
        await page.goto(`${origin}/`)
        const callback = page.waitForRequest((request) => request.url().startsWith(shop.redirectUri))
        await page.click('button')
        expect(Object.fromEntries(new URL((await callback).url()).searchParams))
          .to.include({ state: STATE, iss: issuer })
          .and.to.have.property('code')
      })
    })
})

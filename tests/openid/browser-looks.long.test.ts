import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { appearanceOf, expectGoodLooks, NARROW } from '../account-pages/appearance.ts'
import { describeInBrowser } from '../support/browser.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newBrowser, relyingParty } from './relying-party.ts'

/** A name without a space, as wide as a name can be. */
const LONG_NAME = 'W'.repeat(60)

describeInBrowser('the appearance of the pages of the provider', (visit) => {
  let provider: OpenIdService
  let client: TestClient
  before(async () => {
    provider = await startOpenId({ ...FACTOR_SETTINGS, ...mailLinkSettings(), PAGES_NAME: LONG_NAME })
    client = await provider.client()
  })
  after(() => provider.pages.stop())

  const signIn = async (page: Page) => {
    await page.goto(`${provider.issuer}/account/sign-in`)
    await page.locator('#email').fill(provider.pages.ada.email)
    await page.locator('#password').fill(provider.pages.ada.password)
    await Promise.all([page.waitForEvent('load'), page.locator('#password').press('Enter')])
  }

  const ONWARD = 'continue=/oauth2/authorize%3Fclient_id%3Da'
  const SIGNED_OUT = [
    '/oauth2/authorize?client_id=unknown',
    '/oauth2/authorize?',
    `/account/sign-in?notice=choose_account&${ONWARD}`,
    `/account/sign-in?login_hint=${'a'.repeat(60)}@example.com&${ONWARD}`,
  ]
  const SIGNED_IN = () => [
    `/account/sign-in?notice=choose_account&${ONWARD}`,
    `/account/sign-in?notice=other_account&${ONWARD}`,
    `/account/security?notice=factor_needed&${ONWARD}`,
    `/account/change-email?notice=email_needed&${ONWARD}`,
    `/account/step-up?${ONWARD}`,
    '/oauth2/end_session',
    `/oauth2/end_session?client_id=${client.id}&post_logout_redirect_uri=${encodeURIComponent(client.logoutUri)}`,
    `/oauth2/end_session?client_id=${client.id}&post_logout_redirect_uri=https://evil.example.com/`,
  ]

  for (const language of ['en', 'de'] as const)
    it(`is good for each, in ${language}, in both schemes, wide and narrow`, async function () {
      this.timeout(180_000) // a dozen pages, four times each
      await visit(
        provider.issuer,
        async ({ page }) => {
          const look = async (path: string) => {
            await page.goto(
              `${provider.issuer}${path}${path.includes('?') ? '&' : '?'}ui_locales=${language}`,
            )
            expectGoodLooks(await appearanceOf(page), path, language)
          }
          for (const path of SIGNED_OUT) await look(path)
          await signIn(page)
          for (const path of SIGNED_IN()) await look(path)
        },
        { viewport: NARROW, locale: language },
      )
    })

  it('is good for the page that leads back to the application', async () => {
    const shop = await relyingParty(provider.issuer, client)
    const browser = newBrowser(provider)
    const { headers } = await browser.get(await shop.begin())
    const to = new URL(String(headers.location), provider.issuer)
    const { html, headers: sent } = await browser.signIn({ continue: to.searchParams.get('continue') ?? '' })
    expect(sent.refresh).to.match(/^0; url=\/oauth2\/authorize\?/)
    const path = `${provider.issuer}/account/`
    await visit(
      provider.issuer,
      async ({ page }) => {
        // Without its `Refresh`, which would lead away at once.
        await page.route(path, (route) => route.fulfill({ contentType: 'text/html', body: html }))
        await page.goto(path)
        expectGoodLooks(await appearanceOf(page), 'the way back', 'en')
      },
      { viewport: NARROW },
    )
  })
})

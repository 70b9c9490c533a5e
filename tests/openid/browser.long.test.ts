import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { PLATFORM, withDevice } from '../support/virtual-authenticator.ts'
import { newBrowserApp } from './browser-app.ts'
import {
  addApp,
  fill,
  fillSignIn,
  follow,
  heading,
  notice,
  type OpenIdPlace,
  press,
  shownBy,
  startOpenIdPlace,
} from './browser-desk.ts'

describeInBrowser('a person who signs in to an application of another site, on a phone', (visitor) => {
  let place: OpenIdPlace
  before(async () => {
    place = await startOpenIdPlace(visitor)
  })
  after(() => place.stop())

  const at = (path: string) => `${place.provider.issuer}${path}`
  const pathOf = (page: Page) => new URL(page.url()).pathname
  const newUser = () => verifiedUser(place.provider.pages)
  const linkTo = (email: string) =>
    eventually(
      `a mail to ${email}`,
      async () =>
        place.mailer.received
          .filter(({ to }) => to === email)
          .at(-1)
          ?.text.match(/^http\S+\?token=\S+$/m)?.[0],
    )
  /** Signs in at the pages, adds an app, and signs out. */
  const withApp = async (page: Page) => {
    const user = await newUser()
    await page.goto(at('/account/security'))
    await fillSignIn(page, user)
    const { codes } = await addApp(page, place.provider.pages.now)
    await page.context().clearCookies()
    return { user, codes }
  }

  it('gives a second factor', async () => {
    await place.visit(async ({ page }) => {
      const { user, codes } = await withApp(page)
      await page.goto(place.shop.start())
      await fillSignIn(page, user)
      expect(pathOf(page)).to.equal('/account/second-factor')
      await fill(page, 'Or a recovery code', codes[0] ?? '')
      await press(page, 'Continue')
      const shown = await shownBy(page, place.shop)
      expect([shown.sub, shown.acr]).to.deep.equal([user.id, 'aal2'])
      expect(shown.amr).to.include('mfa')
    })
  })

  it('uses a passkey alone', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      // The device answers at once, so the field must not ask it.
      await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
      await withDevice(page, PLATFORM)
      await page.goto(at('/account/security'))
      await fillSignIn(page, user)
      await press(page, 'Add a passkey')
      expect(await heading(page)).to.equal('Your passkey was added')
      await page.context().clearCookies()
      await page.goto(place.shop.start({ acr_values: 'aal2' }))
      expect(pathOf(page)).to.equal('/account/sign-in')
      await press(page, 'Sign in with a passkey')
      const shown = await shownBy(page, place.shop)
      expect([shown.sub, shown.acr]).to.deep.equal([user.id, 'aal2'])
    })
  })

  it('registers with a mail, and goes on to the application', async () => {
    const email = 'eve@example.org'
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start({ prompt: 'create' }))
      expect(pathOf(page)).to.equal('/account/register')
      await fill(page, 'E-mail address', email)
      await press(page, 'Mail the link')
      const link = await eventually(
        'a mail to Eve',
        async () =>
          place.mailer.received
            .filter(({ to }) => to === email)
            .at(-1)
            ?.text.match(/^http\S+\?token=\S+$/m)?.[0],
      )
      await page.goto(link)
      await fill(page, 'New password', 'blue chalk at the window')
      await fill(page, 'New password again', 'blue chalk at the window')
      await press(page, 'Create the account')
      const shown = await shownBy(page, place.shop)
      expect(shown.email).to.equal(email)
    })
  })

  for (const wish of [{ prompt: 'login' }, { max_age: '0' }])
    it(`proves again who it is, for an application that wants ${JSON.stringify(wish)}`, async () => {
      const user = await newUser()
      await place.visit(async ({ page }) => {
        await page.goto(place.shop.start())
        await fillSignIn(page, user)
        await shownBy(page, place.shop)
        await page.waitForTimeout(1_100) // `auth_time` is in whole seconds
        await page.goto(place.shop.start(wish))
        expect(pathOf(page)).to.equal('/account/step-up')
        await fill(page, 'Password', user.password)
        await press(page, 'Continue')
        expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
      })
    })

  it('adds an app, because the application requires a second factor, and goes on', async () => {
    const user = await newUser()
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start({ acr_values: 'aal2' }))
      await fillSignIn(page, user)
      await page.waitForURL(at('/account/security**'), { waitUntil: 'load' })
      expect(await notice(page)).to.equal('The application requires a second factor. Add one, then continue.')
      await addApp(page, place.provider.pages.now)
      await follow(page, 'Continue')
      const shown = await shownBy(page, place.shop)
      expect([shown.sub, shown.acr]).to.deep.equal([user.id, 'aal2'])
    })
  })

  it('confirms the e-mail in another tab, because the application requires that, and goes on', async () => {
    const user = await verifiedUser(place.provider.pages, false)
    const strict = await newBrowserApp()
    const client = await place.provider.client('strict', {
      redirectUris: [strict.redirectUri],
      requireVerifiedEmail: true,
    })
    await strict.connect(place.provider.issuer, client)
    await place.visit(
      async ({ page }) => {
        await page.goto(strict.start())
        await fillSignIn(page, user)
        await page.waitForURL(at('/account/change-email**'), { waitUntil: 'load' })
        expect(await notice(page)).to.equal(
          'The application requires a confirmed e-mail. Confirm yours, then continue.',
        )
        await press(page, 'Mail me a link')
        const other = await page.context().newPage()
        await other.goto(await linkTo(user.email))
        await press(other, 'Confirm')
        await follow(page, 'Continue')
        expect((await shownBy(page, strict)).sub).to.equal(user.id)
      },
      {},
      { apps: [strict] },
    )
    await strict.stop()
  })

  it('is told to the application as not signed in, if that wants no page', async () => {
    await place.visit(async ({ page }) => {
      await page.goto(place.shop.start({ prompt: 'none' }))
      expect(await shownBy(page, place.shop)).to.deep.equal({ error: 'login_required' })
    })
  })
})

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { appearanceOf, expectGoodLooks, NARROW } from './appearance.ts'
import { type PagesService, startPages } from './pages-service.ts'
import { newLink } from './register-desk.ts'

/** A name without a space, as wide as a name can be. */
const LONG_NAME = 'W'.repeat(60)

describeInBrowser('the appearance of pages for people', (visit) => {
  let running: PagesService
  before(async () => {
    const PORT = String(await freePort())
    running = await startPages({
      PORT,
      PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      PASSWORD_POLICY: 'nist',
      PAGES_NAME: LONG_NAME,
      ...FACTOR_SETTINGS,
      ...mailLinkSettings(),
      PAGES_REGISTRATION: 'on',
      THROTTLE_ACCOUNT_FAILURES: '1',
    })
  })
  after(() => running.stop())

  /** Every kind of page. */
  const STATES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'the form to sign in': (page) => page.goto(`${running.baseUrl}/account/sign-in`),
    'all mistakes in it': (page) => press(page, 'Sign in'),
    'too many failures': async (page) => {
      for (let each = 0; each < 2; each += 1) {
        await page.getByLabel('E-mail address').fill('eve@example.com')
        await page.getByLabel('Password').fill('wrong')
        await press(page, 'Sign in')
      }
    },
    'an account, in German': async (page) => {
      await page.goto(`${running.baseUrl}/account/sign-in?ui_locales=de`)
      await page.getByLabel('E-Mail-Adresse').fill(running.ada.email)
      await page.getByLabel('Passwort').fill(running.ada.password)
      await press(page, 'Anmelden')
    },
    // The account keeps the language.
    'the form for a password, in German': (page) => page.goto(`${running.baseUrl}/account/password`),
    'all mistakes in that, in German': (page) => press(page, 'Passwort ändern'),
    'the form for a removal, in German': (page) => page.goto(`${running.baseUrl}/account/remove`),
    'all mistakes in the removal, in German': (page) => press(page, 'Konto löschen'),
    'a step-up, in German': (page) => page.goto(`${running.baseUrl}/account/step-up`),
    'a sign-out': (page) => page.goto(`${running.baseUrl}/account/sign-out?ui_locales=en`),
    'after it': (page) => press(page, 'Sign out'),
    'the form to register': (page) => page.goto(`${running.baseUrl}/account/register`),
    'a mistake in it': (page) => press(page, 'Mail the link'),
    'a mailbox to look into': async (page) => {
      await page.getByLabel('E-mail address').fill(`user${users}@example.org`)
      await press(page, 'Mail the link')
    },
    'a registration link, in German': (page) =>
      page.goto(`${running.baseUrl}${newLink('eve@example.org')}&ui_locales=de`),
    'all mistakes behind it, in German': (page) => press(page, 'Konto erstellen'),
    'an unusable link to register': (page) => page.goto(`${running.baseUrl}/account/register?token=a`),
    'a person without a second factor': async (page) => {
      users += 1
      newest = { email: `user${users}@example.com`, password: running.ada.password }
      await succeed(running.service.registerUser(CONTEXT, { ...newest, emailVerified: true }, OPERATOR))
      await signIn(page)
    },
    'an app to add': (page) => press(page, 'Add an authenticator app'),
    'mistakes in it': async (page) => {
      await page.getByLabel('Name').fill('W'.repeat(65))
      await press(page, 'Add this app')
    },
    'recovery codes': async (page) => {
      const secret = await page.locator('#secret').innerText()
      await page.getByLabel('Code that').fill(totpAt(secret.replaceAll(' ', ''), running.now()))
      await page.getByLabel('Name').fill('W'.repeat(64))
      await press(page, 'Add this app')
    },
    'a second factor': (page) => page.goto(`${running.baseUrl}/account/security`),
    'a new name for it': (page) => press(page, 'Rename'),
    'a factor to remove': async (page) => {
      await page.goBack()
      await press(page, 'Remove')
    },
    'new recovery codes': async (page) => {
      await page.goBack()
      await press(page, 'New recovery codes')
    },
    'another app, in German': async (page) => {
      await page.goto(`${running.baseUrl}/account/security?ui_locales=de`)
      await press(page, 'Authenticator-App hinzufügen')
    },
    'an enrolment that has ended, in German': async (page) => {
      await page.locator('input[name=enrolment]').evaluate('(input) => { input.value = "" }')
      await page.getByLabel('Code, den').fill('000000')
      await press(page, 'Diese App hinzufügen')
    },
    'the second factors, in German': (page) =>
      page.goto(`${running.baseUrl}/account/security?ui_locales=de&notice=factor_renamed`),
    'the second step': (page) => signIn(page),
    'mistakes in the second step': (page) => press(page, 'Continue'),
  }

  /** The user of the pages for second factors. */
  let users = 0
  let newest: Readonly<{ email: string; password: string }>
  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).press('Enter')])
  const signIn = async (page: Page) => {
    await page.context().clearCookies()
    await page.goto(`${running.baseUrl}/account/security`)
    await page.getByLabel('E-mail address').fill(newest.email)
    await page.getByLabel('Password').fill(newest.password)
    await press(page, 'Sign in')
  }

  it('each is accessible, fits and has one heading, a title, a language and a visible focus, in both schemes, wide and narrow', async function () {
    this.timeout(300_000) // some forty pages, four times each
    await visit(
      running.baseUrl,
      async ({ page }) => {
        for (const [state, open] of Object.entries(STATES)) {
          await open(page)
          expectGoodLooks(await appearanceOf(page), state, state.includes('German') ? 'de' : 'en')
        }
      },
      { viewport: NARROW },
    )
  })

  for (const language of ['en', 'de'] as const)
    it(`every page that a link leads to looks so too, in ${language}`, async () => {
      const SIGNED_OUT = ['sign-in', 'register', 'forgotten', 'recovery?token=a', 'email?token=a']
      const SIGNED_IN = ['', 'password', 'change-email', 'security', 'step-up', 'remove', 'sign-out']
      await visit(
        running.baseUrl,
        async ({ page }) => {
          const look = async (path: string) => {
            const query = `${path.includes('?') ? '&' : '?'}ui_locales=${language}`
            await page.goto(`${running.baseUrl}/account${path === '' ? '' : `/${path}`}${query}`)
            expectGoodLooks(await appearanceOf(page), path, language)
          }
          for (const path of SIGNED_OUT) await look(path)
          await page.goto(`${running.baseUrl}/account/sign-in`)
          await page.locator('#email').fill(running.ada.email)
          await page.locator('#password').fill(running.ada.password)
          await Promise.all([page.waitForEvent('load'), page.locator('#password').press('Enter')])
          for (const path of SIGNED_IN) await look(path)
        },
        { viewport: NARROW },
      )
    })

  it('has targets of at least 44 pixels for fingers', async () => {
    await visit(
      running.baseUrl,
      async ({ page }) => {
        await page.goto(`${running.baseUrl}/account/sign-in`)
        for (const target of await page.locator('input:not([type=hidden]), button').all())
          expect((await target.boundingBox())?.height).to.be.at.least(44)
      },
      { viewport: NARROW },
    )
  })
})

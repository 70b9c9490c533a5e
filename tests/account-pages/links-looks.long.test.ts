import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { Page } from 'playwright-core'
import { Dependency, provide } from '../../adapters/index.ts'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { memoryMailer } from '../support/memory-mailer.ts'
import { appearanceOf, expectGoodLooks, NARROW } from './appearance.ts'
import { type PagesService, startPages } from './pages-service.ts'

const TEXTS = {
  en: {
    send: 'Mail me a link',
    choose: 'Set the new password',
    confirm: 'Confirm',
    change: 'Mail a link there',
  },
  de: {
    send: 'Link schicken',
    choose: 'Neues Passwort setzen',
    confirm: 'Bestätigen',
    change: 'Link dorthin schicken',
  },
} as const

describeInBrowser('the pages of mails and of their links, in a browser', (visit) => {
  let running: PagesService
  beforeEach(async () => {
    const PORT = String(await freePort())
    const PUBLIC_URL = `http://127.0.0.1:${PORT}`
    running = await startPages(
      { ...mailLinkSettings(), PORT, PUBLIC_URL, PASSWORD_POLICY: 'nist', PAGES_NAME: 'W'.repeat(60) },
      provide(Dependency.mailer, () => some(memoryMailer())),
    )
  })
  afterEach(() => running.stop())

  for (const language of ['en', 'de'] as const)
    it(`look like the other pages, in ${language}`, async function () {
      this.timeout(300_000)
      const texts = TEXTS[language]
      const at = (path: string) =>
        `${running.baseUrl}/account/${path}${path.includes('?') ? '&' : '?'}ui_locales=${language}`
      const press = (page: Page, name: string) =>
        Promise.all([
          page.waitForEvent('load'),
          page.getByRole('button', { name, exact: true }).press('Enter'),
        ])
      const [recovery, confirmation] = [await running.recoveryToken(), await running.confirmationToken()]
      const STATES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
        'a forgotten password': (page) => page.goto(at('forgotten')),
        'a mistake in it': (page) => press(page, texts.send),
        'the mailbox': async (page) => {
          await page.locator('#email').fill('eve@example.com')
          await press(page, texts.send)
        },
        'a link that cannot be used': (page) => page.goto(at('recovery?token=a')),
        'a recovery': (page) => page.goto(at(`recovery?token=${recovery}`)),
        'all mistakes in it': (page) => press(page, texts.choose),
        'a button to confirm': (page) => page.goto(at(`email?token=${confirmation}`)),
        'a sign-in': async (page) => {
          await page.goto(at('sign-in'))
          await page.locator('#email').fill(running.ada.email)
          await page.locator('#password').fill(running.ada.password)
          await Promise.all([page.waitForEvent('load'), page.locator('#password').press('Enter')])
        },
        'another e-mail': (page) => page.goto(at('change-email')),
        'all mistakes in that': (page) => press(page, texts.change),
        'the mailbox of that': async (page) => {
          await page.locator('#email').fill(`${'w'.repeat(60)}@lovelace.example`)
          await page.locator('#password').fill(running.ada.password)
          await press(page, texts.change)
        },
        'a confirmed e-mail': async (page) => {
          await page.goto(at(`email?token=${confirmation}`))
          await press(page, texts.confirm)
        },
      }
      await visit(
        running.baseUrl,
        async ({ page, complaints }) => {
          for (const [state, open] of Object.entries(STATES)) {
            await open(page)
            expectGoodLooks(await appearanceOf(page), state, language)
          }
          expect(complaints.filter((words) => !words.includes('422'))).to.deep.equal([])
        },
        { viewport: NARROW },
      )
    })

  it('lead from the sign-in to a link by keyboard alone, without script', async () => {
    await visit(
      running.baseUrl,
      async ({ page }) => {
        await page.goto(`${running.baseUrl}/account/sign-in`)
        const link = page.getByRole('link', { name: 'Forgot your password?' })
        await link.focus()
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
        await page.keyboard.press('Tab')
        await page.keyboard.type(running.ada.email)
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
        expect(await page.locator('h1').innerText()).to.equal('Look into your mailbox')
        expect(page.url()).to.equal(`${running.baseUrl}/account/forgotten`)
      },
      { javaScriptEnabled: false },
    )
  })
})

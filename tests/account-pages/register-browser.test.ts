import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { newLink, type RegisterDesk, startRegistering } from './register-desk.ts'

const PASSWORD = 'correct horse battery'

describeInBrowser('a person who registers and leaves in a browser', (visit) => {
  let pages: RegisterDesk
  before(async () => {
    const PORT = String(await freePort())
    pages = await startRegistering({ PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` })
  })
  after(() => pages.stop())

  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).press('Enter')])
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

  for (const javaScriptEnabled of [true, false])
    it(`is signed in at the end of the link, and is gone after the removal, ${javaScriptEnabled ? 'with' : 'without'} script, in German on a phone`, async () => {
      const email = `eve-${javaScriptEnabled}@example.com`
      await visit(
        pages.baseUrl,
        async ({ page, complaints }) => {
          await page.goto(`${pages.baseUrl}/account/sign-in`)
          await page.getByRole('link', { name: 'Konto erstellen' }).click()
          await page.getByLabel('E-Mail-Adresse').fill(email)
          await press(page, 'Link senden')
          expect(await heading(page)).to.equal('Sehen Sie in Ihr Postfach')

          await page.goto(`${pages.baseUrl}${newLink(email)}&ui_locales=de`)
          expect(await page.getByLabel('E-Mail-Adresse').inputValue()).to.equal(email)
          expect(await page.getByLabel('E-Mail-Adresse').isEditable()).to.equal(false)
          await page.getByLabel('Neues Passwort', { exact: true }).fill(PASSWORD)
          await page.getByLabel('Neues Passwort wiederholen').fill(PASSWORD)
          await press(page, 'Konto erstellen')
          expect(await heading(page)).to.equal('Ihr Konto')
          expect(await page.locator('main').innerText()).to.include(email)

          await page.getByRole('link', { name: 'Konto löschen' }).click()
          await page.getByLabel('Passwort').fill(PASSWORD)
          await press(page, 'Konto löschen')
          expect(await heading(page), 'the box is not ticked').to.equal('Konto löschen')
          await page.getByLabel('Passwort').fill(PASSWORD)
          await page.getByRole('checkbox').check()
          await press(page, 'Konto löschen')
          expect(await page.getByRole('status').innerText()).to.equal('Ihr Konto wurde gelöscht.')
          expect((await page.context().cookies()).map(({ name }) => name)).to.deep.equal([])
          await page.goto(`${pages.baseUrl}/account`)
          expect(await heading(page)).to.equal('Anmelden')
          expect(complaints.filter((complaint) => !/422/.test(complaint))).to.deep.equal([])
        },
        { javaScriptEnabled, locale: 'de', viewport: { width: 320, height: 640 } },
      )
    })
})

import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { violations } from '../support/axe.ts'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

const PHONE = { width: 320, height: 640 }

/** What a person reads, in each language. */
const WORDS = {
  en: {
    email: 'E-mail address',
    password: 'Password',
    signIn: 'Sign in',
    add: 'Add an authenticator app',
    open: 'Open the app',
    code: 'Code that',
    addThis: 'Add this app',
    added: 'Your app was added',
    back: 'Back to your second factors',
    appCode: 'Code of your',
    recovery: 'recovery code',
    go: 'Continue',
    left: (count: number) => `You have ${count} codes left.`,
    remove: 'Remove',
    removed: 'The second factor was removed. All other devices were signed out.',
  },
  de: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    signIn: 'Anmelden',
    add: 'Authenticator-App hinzufügen',
    open: 'App öffnen',
    code: 'Code, den',
    addThis: 'Diese App hinzufügen',
    added: 'Ihre App wurde hinzugefügt',
    back: 'Zurück zu Ihren zweiten Faktoren',
    appCode: 'Code Ihrer',
    recovery: 'Wiederherstellungscode',
    go: 'Weiter',
    left: (count: number) => `Sie haben noch ${count} Codes.`,
    remove: 'Entfernen',
    removed: 'Der zweite Faktor wurde entfernt. Alle anderen Geräte wurden abgemeldet.',
  },
} as const

describeInBrowser('the page for second factors in a browser', (visit) => {
  let running: PagesService
  let origin: string
  before(async () => {
    const PORT = String(await freePort())
    origin = `http://127.0.0.1:${PORT}`
    running = await startPages({ PORT, PUBLIC_URL: `${origin}/auth`, ...FACTOR_SETTINGS })
  })
  after(() => running.stop())

  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).press('Enter')])
  const heading = (page: Page) => page.locator('h1').innerText()

  for (const [language, colorScheme] of [
    ['en', 'light'],
    ['de', 'dark'],
  ] as const)
    it(`takes a person with a phone through each step, in ${language} and the ${colorScheme} scheme`, async () => {
      const words = WORDS[language]
      const user = await verifiedUser(running)
      const signIn = async (page: Page) => {
        await page.context().clearCookies()
        await page.goto(`${origin}/auth/account/security?ui_locales=${language}`)
        await page.getByLabel(words.email).fill(user.email)
        await page.getByLabel(words.password, { exact: true }).fill(user.password)
        await press(page, words.signIn)
      }
      await visit(
        `${origin}/auth`,
        async ({ page, complaints, requests }) => {
          await signIn(page)
          await press(page, words.add)
          const uri = new URL(await readQrCode(page.locator('svg'), await page.context().newPage()))
          const secret = uri.searchParams.get('secret') ?? ''
          expect(decodeURIComponent(uri.pathname)).to.equal(`/Portcullis:${user.email}`)
          expect(await page.getByRole('link', { name: words.open }).getAttribute('href')).to.equal(uri.href)
          expect((await page.locator('#secret').innerText()).replaceAll(' ', '')).to.equal(secret)
          expect(await violations(page)).to.deep.equal([])

          await page.getByLabel('Name').fill('Phone')
          await page.getByLabel(words.code).fill('12345')
          await press(page, words.addThis)
          expect(await page.evaluate('document.activeElement.getAttribute("role")')).to.equal('alert')
          expect(await page.getByLabel('Name').inputValue()).to.equal('Phone')
          await page.getByLabel(words.code).fill(totpAt(secret, running.now()))
          await press(page, words.addThis)
          expect(await heading(page)).to.equal(words.added)
          const codes = await page.locator('.codes li').allInnerTexts()
          expect(codes).to.have.lengthOf(10)
          await page.getByRole('link', { name: words.back }).press('Enter')
          await page.waitForURL(/security/)
          expect(await page.locator('.factors h2').innerText()).to.equal('Phone')

          await signIn(page)
          expect(await page.locator('#totp').getAttribute('autocomplete')).to.equal('one-time-code')
          await page.getByLabel(words.appCode).fill(totpAt(secret, running.now(), 1))
          await press(page, words.go)
          expect(await page.getByText(words.left(10)).isVisible()).to.equal(true)

          await signIn(page)
          await page.getByLabel(words.recovery).fill(` ${codes[0]?.toUpperCase()} `)
          await press(page, words.go)
          expect(await page.getByText(words.left(9)).isVisible()).to.equal(true)

          await press(page, words.remove)
          await press(page, words.remove)
          expect(await page.getByRole('status').innerText()).to.equal(words.removed)
          await page.reload()
          expect(await page.locator('.factors').count()).to.equal(0)
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width)
          expect(complaints.filter((said) => !said.includes('422'))).to.deep.equal([])
          const paths = requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).pathname)
          expect([...new Set(paths)].sort()).to.deep.equal([
            '/auth/account/second-factor',
            '/auth/account/security',
            '/auth/account/sign-in',
          ])
        },
        { colorScheme, viewport: PHONE },
      )
    })

  it('shows a person who goes back from the recovery codes the list, and the codes not again', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      await page.goto(`${origin}/auth/account/security`)
      await page.getByLabel('E-mail address').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill(user.password)
      await press(page, 'Sign in')
      await press(page, 'Add an authenticator app')
      const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '')
      await page.getByLabel('Code that').fill(totpAt(secret, running.now()))
      await press(page, 'Add this app')
      const codes = await page.locator('.codes li').allInnerTexts()
      await page.reload() // within a minute: the same answer
      expect(await page.locator('.codes li').allInnerTexts()).to.deep.equal(codes)
      await page.getByRole('link', { name: 'Back to your second factors' }).press('Enter')
      await page.waitForURL(/security$/)
      await press(page, 'New recovery codes')
      expect(await heading(page)).to.equal('You have new recovery codes')
      const renewed = await page.locator('.codes li').allInnerTexts()
      expect(renewed).to.have.lengthOf(10).and.not.include(codes[0])
      await page.goBack()
      expect(await page.locator('.factors h2').innerText()).to.equal('Authenticator app')
      expect(await page.content()).not.to.include(renewed[0])
      expect(complaints).to.deep.equal([])
    })
  })
})

/** Reads the picture as a phone would: from what the browser shows. Another page turns the screenshot into pixels. */
const readQrCode = async (picture: Locator, scratch: Page): Promise<string> => {
  const png = (await picture.screenshot()).toString('base64')
  const [width, height, data] = await scratch.evaluate<[number, number, Array<number>]>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const { width, height } = image
    const canvas = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    canvas.drawImage(image, 0, 0)
    return [width, height, [...canvas.getImageData(0, 0, width, height).data]]
  })()`)
  await scratch.close()
  return decodeQR({ width, height, data: Uint8Array.from(data) })
}

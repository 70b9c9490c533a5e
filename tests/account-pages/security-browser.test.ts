import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { describeInBrowser } from '../support/browser.ts'
import { FACTOR_SETTINGS, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

const PHONE = { width: 320, height: 640 }

describeInBrowser('the page for second factors in a browser', (visit) => {
  let running: PagesService
  let user: Awaited<ReturnType<typeof verifiedUser>>
  before(async () => {
    running = await startPages({ PUBLIC_URL: 'https://service.test/auth', ...FACTOR_SETTINGS })
    user = await verifiedUser(running)
  })
  after(() => running.stop())

  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).press('Enter')])
  const signIn = async (page: Page) => {
    await page.goto(`${running.baseUrl}/auth/account/security`)
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password').fill(user.password)
    await press(page, 'Continue')
  }
  const heading = (page: Page) => page.locator('h1').innerText()

  for (const colorScheme of ['light', 'dark'] as const)
    it(`takes a person with a phone through each step, in the ${colorScheme} scheme`, async () => {
      await visit(
        `${running.baseUrl}/auth`,
        async ({ page, complaints, requests }) => {
          await signIn(page)
          await press(page, 'Add an authenticator app')
          const uri = new URL(await readQrCode(page.locator('svg'), await page.context().newPage()))
          const secret = uri.searchParams.get('secret') ?? ''
          expect(decodeURIComponent(uri.pathname)).to.equal(`/Portcullis:${user.email}`)
          expect(await page.getByRole('link', { name: 'Open the app' }).getAttribute('href')).to.equal(
            uri.href,
          )
          expect((await page.locator('#secret').innerText()).replaceAll(' ', '')).to.equal(secret)

          await page.getByLabel('Name').fill('Phone')
          await page.getByLabel('Code that').fill('12345')
          await press(page, 'Add this app')
          expect(await page.evaluate('document.activeElement.getAttribute("role")')).to.equal('alert')
          expect(await page.getByLabel('Name').inputValue()).to.equal('Phone')
          await page.getByLabel('Code that').fill(totpAt(secret, running.now()))
          await press(page, 'Add this app')
          expect(await heading(page)).to.equal('Your app was added')
          const codes = await page.locator('.codes li').allInnerTexts()
          expect(codes).to.have.lengthOf(10)
          await press(page, 'Back to your second factors')
          expect(await page.locator('.factors h2').innerText()).to.equal('Phone')

          await signIn(page)
          expect(await heading(page)).to.equal('Enter a code')
          expect(await page.locator('#totp').getAttribute('autocomplete')).to.equal('one-time-code')
          await page.getByLabel('Code of your').fill(totpAt(secret, running.now(), 1))
          await press(page, 'Continue')
          expect(await page.getByText('You have 10 codes left.').isVisible()).to.equal(true)

          await signIn(page)
          await page.getByLabel('recovery code').fill(` ${codes[0]?.toUpperCase()} `)
          await press(page, 'Continue')
          expect(await page.getByText('You have 9 codes left.').isVisible()).to.equal(true)

          await press(page, 'Remove')
          expect(await page.getByRole('status').innerText()).to.include('The second factor was removed.')
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width)
          expect(complaints.filter((words) => !words.includes('422'))).to.deep.equal([])
          const paths = requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).pathname)
          expect([...new Set(paths)]).to.deep.equal(['/auth/account/security'])
        },
        { colorScheme, viewport: PHONE },
      )
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

import axe from 'axe-core'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, type Visitor } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, verifiedUser } from '../support/factor-desk.ts'
import { PLATFORM, ROAMING, withDevice } from '../support/virtual-authenticator.ts'
import { type PagesService, startPages } from './pages-service.ts'

const PHONE = { width: 320, height: 640 }

const ADD = 'Add a passkey'
const USE = 'Sign in with a passkey'

describeInBrowser('passkeys on the page for second factors in a browser', (visit) => {
  let running: PagesService
  let origin: string
  before(async () => {
    const PORT = String(await freePort())
    origin = `http://localhost:${PORT}`
    const settings = { PORT, PUBLIC_URL: `${origin}/auth`, PASSKEY_RP_ID: 'localhost' }
    running = await startPages({ ...FACTOR_SETTINGS, ...settings })
  })
  after(() => running.stop())

  const open = (page: Page) => page.goto(`${origin}/auth/account/security`)
  const press = (page: Page, name: string) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).press('Enter')])
  const heading = (page: Page) => page.locator('h1').innerText()
  const signIn = async (page: Page, user: Awaited<ReturnType<typeof verifiedUser>>) => {
    await open(page)
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password').fill(user.password)
    await press(page, 'Continue')
  }
  /** Presses a button whose ceremony fails, and returns the message beside it. */
  const pressInVain = async (page: Page, name: string) => {
    await page.getByRole('button', { name }).press('Enter')
    const message = page.locator('form[data-passkey] [role=alert]:not(:empty)')
    await message.waitFor()
    return message.innerText()
  }
  /** Checks how the page looks, and that the browser complained of nothing. */
  const expectGood = async (page: Page) => {
    const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run('html')`)
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).to.deep.equal([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width)
    for (const button of await page.locator('form[data-passkey] button').all())
      expect((await button.boundingBox())?.height).to.be.at.least(44)
  }

  for (const colorScheme of ['light', 'dark'] as const)
    it(`add one, and sign in with it alone or after the password, in the ${colorScheme} scheme`, async () => {
      const user = await verifiedUser(running)
      await visit(
        origin,
        async ({ page, complaints, requests }) => {
          await withDevice(page, PLATFORM)
          await signIn(page, user)
          await expectGood(page)
          await press(page, ADD)
          expect(await heading(page)).to.equal('Your passkey was added')
          expect(await page.locator('.codes li').count()).to.equal(10)
          await press(page, 'Back to your second factors')
          expect(await page.locator('.factors h2').innerText()).to.equal('Passkey')
          expect(await pressInVain(page, ADD)).to.match(/^No passkey was added\. Try again/)
          await expectGood(page)

          await open(page)
          await expectGood(page)
          await press(page, USE)
          expect(await page.locator('.factors p').first().innerText()).to.include('last used on')

          await signIn(page, user)
          expect(await heading(page)).to.equal('Enter a code')
          await expectGood(page)
          await press(page, USE)
          expect(await heading(page)).to.equal('Your second factors')
          await press(page, 'Remove')
          expect(await page.getByRole('status').innerText()).to.equal(
            'The second factor was removed. You are signed out everywhere. Sign in to your applications again.',
          )

          await open(page)
          await press(page, USE)
          expect(await page.evaluate('document.activeElement.getAttribute("role")')).to.equal('alert')
          expect(await page.locator('#credential-error').innerText()).to.include('does not sign you in')
          await expectGood(page)
          expect(complaints.filter((words) => !words.includes('422'))).to.deep.equal([])
          const paths = requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).pathname)
          expect([...new Set(paths)]).to.deep.equal(['/auth/account/security'])
        },
        { colorScheme, viewport: PHONE },
      )
    })

  it('take a security key without a PIN as the second factor only', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      await withDevice(page, ROAMING)
      await signIn(page, user)
      await press(page, ADD)
      await signIn(page, user)
      await press(page, USE)
      expect(await heading(page)).to.equal('Your second factors')
      await open(page)
      expect(await pressInVain(page, USE)).to.match(/^No passkey was used\./)
      expect(complaints).to.deep.equal([])
    })
  })

  it('let a person whose fingerprint was not read try again', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      const { verify } = await withDevice(page, PLATFORM)
      await signIn(page, user)
      await press(page, ADD)
      await open(page)
      await verify(false)
      expect(await pressInVain(page, USE)).to.match(/^No passkey was used\. Try again/)
      await verify(true)
      await press(page, USE)
      expect(await page.locator('.factors h2').innerText()).to.equal('Passkey')
      expect(complaints).to.deep.equal([])
    })
  })

  for (const [name, options, script] of [
    ['without scripts', { javaScriptEnabled: false }, ''],
    ['in a browser that is too old', {}, 'delete PublicKeyCredential.parseCreationOptionsFromJSON'],
    ['in a browser without passkeys', {}, 'delete window.PublicKeyCredential'],
  ] as const)
    it(`show no button ${name}, and everything else works`, async () => {
      const user = await verifiedUser(running)
      await visit(
        origin,
        async ({ page, complaints }) => {
          await page.addInitScript(script)
          await signIn(page, user)
          expect(await heading(page)).to.equal('Your second factors')
          expect(await page.locator('form[data-passkey]').count()).to.equal(1)
          expect(await page.locator('form[data-passkey]').innerText()).to.equal('')
          expect(await page.getByRole('button', { name: 'Add an authenticator app' }).isVisible()).to.equal(
            true,
          )
          expect(complaints).to.deep.equal([])
        },
        options satisfies Parameters<Visitor>[2],
      )
    })
})

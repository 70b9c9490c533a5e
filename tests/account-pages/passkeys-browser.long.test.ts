import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Page } from 'playwright-core'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { violations } from '../support/axe.ts'
import { describeInBrowser, type Visitor } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { succeed } from '../support/outcome.ts'
import { PLATFORM, ROAMING, withDevice } from '../support/virtual-authenticator.ts'
import { change } from '../testkit/builders.ts'
import { type PagesService, startPages } from './pages-service.ts'

const PHONE = { width: 320, height: 640 }

const ADD = 'Add a passkey'
const USE = 'Sign in with a passkey'

/** Notes how each passkey is asked for, and which questions end without an answer. It outlasts the page. */
const RECORDING = `
const entries = () => JSON.parse(sessionStorage.getItem('asked') ?? '[]')
const keep = (all) => sessionStorage.setItem('asked', JSON.stringify(all))
const get = navigator.credentials.get.bind(navigator.credentials)
navigator.credentials.get = (options) => {
  const number = entries().length
  keep([...entries(), { mediation: options.mediation ?? 'modal', userVerification: options.publicKey.userVerification }])
  options.signal?.addEventListener('abort', () =>
    keep(entries().map((one, index) => (index === number ? { ...one, isAborted: true } : one))))
  return get(options)
}`

describeInBrowser('passkeys on the pages in a browser', (visit) => {
  let running: PagesService
  let store: Store
  let origin: string
  before(async () => {
    const PORT = String(await freePort())
    origin = `http://localhost:${PORT}`
    store = lastingStore()
    const settings = { PORT, PUBLIC_URL: `${origin}/auth`, PASSKEY_RP_ID: 'localhost' }
    running = await startPages(
      { ...FACTOR_SETTINGS, ...settings },
      provide(Dependency.storage, () => ({ store })),
    )
  })
  after(() => running.stop())

  type Device = Awaited<ReturnType<typeof withDevice>>
  type User = Awaited<ReturnType<typeof verifiedUser>>
  const open = (page: Page, path = 'security') => page.goto(`${origin}/auth/account/${path}`)
  const press = (page: Page, name: string) =>
    Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name, exact: true }).first().press('Enter'),
    ])
  const heading = (page: Page) => page.locator('h1').innerText()
  const forget = (page: Page) => page.context().clearCookies()
  /** Signs in with the password, while the device answers nothing: the browser asks it at once. */
  const signIn = async (page: Page, device: Device, user: User) => {
    await device.touch(false)
    await forget(page)
    await open(page)
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await press(page, 'Sign in')
    await device.touch(true)
  }
  /** Presses a button whose ceremony fails, and returns the message beside it. */
  const pressInVain = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).press('Enter')
    const message = page.locator('form[data-passkey] [role=alert]:not(:empty)')
    await message.waitFor()
    return message.innerText()
  }
  /** Checks how the page looks, and that the browser complained of nothing. */
  const expectGood = async (page: Page) => {
    expect(await violations(page)).to.deep.equal([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(PHONE.width)
    for (const button of await page.locator('form[data-passkey] button').all())
      expect((await button.boundingBox())?.height).to.be.at.least(44)
  }
  const asked = async (page: Page): Promise<ReadonlyArray<object>> =>
    JSON.parse(await page.evaluate<string>(`sessionStorage.getItem('asked') ?? '[]'`))
  const isAsked = (page: Page) => page.waitForFunction(`sessionStorage.getItem('asked') !== null`)
  /** Opens the page. The device answers what the browser asks it at the load. */
  const openWith = async (page: Page, device: Device) => {
    await device.touch(true)
    await page.goto(`${origin}/auth/account/security`)
  }
  const isThere = (page: Page) =>
    page.waitForURL(({ pathname }) => pathname === '/auth/account/security', { waitUntil: 'load' })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`are added, and prove a person after the password and again, in the ${colorScheme} scheme`, async () => {
      const user = await verifiedUser(running)
      await visit(
        origin,
        async ({ page, complaints, requests }) => {
          const device = await withDevice(page, PLATFORM)
          await signIn(page, device, user)
          await expectGood(page)
          await press(page, ADD)
          expect(await heading(page)).to.equal('Your passkey was added')
          expect(await page.locator('.codes li').count()).to.equal(10)
          await open(page)
          expect(await page.locator('.factors h2').innerText()).to.equal('Passkey')
          expect(await pressInVain(page, ADD)).to.match(/^No passkey was added\. Try again/)
          await expectGood(page)

          await signIn(page, device, user)
          expect(new URL(page.url()).pathname).to.equal('/auth/account/second-factor')
          await expectGood(page)
          await press(page, USE)
          expect(await heading(page)).to.equal('Your second factors')
          expect(await page.locator('.factors p').first().innerText()).to.include('Last used on')

          await open(page, 'step-up?continue=/auth/account/security')
          await press(page, USE)
          await press(page, 'Remove')
          await press(page, 'Remove')
          expect(await page.getByRole('status').innerText()).to.equal(
            'The second factor was removed. All other devices were signed out.',
          )
          expect(complaints).to.deep.equal([])
          const paths = requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).pathname)
          expect([...new Set(paths)].sort()).to.deep.equal(
            ['second-factor', 'security', 'sign-in', 'step-up'].map((name) => `/auth/account/${name}`),
          )
        },
        { colorScheme, viewport: PHONE },
      )
    })

  /** Adds a passkey, and signs out. */
  const withPasskey = async (page: Page, device: Device, user: User) => {
    await signIn(page, device, user)
    await press(page, ADD)
    await forget(page)
    await device.touch(false)
  }

  it('are offered in the field of the e-mail, and the chosen one signs in', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      await page.addInitScript(RECORDING)
      const device = await withDevice(page, PLATFORM)
      await withPasskey(page, device, user)
      await page.evaluate(`sessionStorage.clear()`)
      await open(page)
      expect(await page.locator('#email').getAttribute('autocomplete')).to.equal('username webauthn')
      await isAsked(page)
      await openWith(page, device)
      await isThere(page)
      expect(await page.locator('.factors h2').innerText()).to.equal('Passkey')
      const question = { mediation: 'conditional', userVerification: 'required' }
      expect(await asked(page)).to.deep.equal([question, question])
      expect(complaints).to.deep.equal([])
    })
  })

  it('are asked for by the button while the field offers them, which ends the first question', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      await page.addInitScript(RECORDING)
      const device = await withDevice(page, PLATFORM)
      await withPasskey(page, device, user)
      await page.evaluate(`sessionStorage.clear()`)
      await open(page)
      await isAsked(page)
      await device.touch(true)
      await press(page, USE)
      await isThere(page)
      expect(await asked(page)).to.deep.equal([
        { mediation: 'conditional', userVerification: 'required', isAborted: true },
        { mediation: 'modal', userVerification: 'required' },
      ])
      expect(complaints).to.deep.equal([])
    })
  })

  it('that are enrolled no more sign nobody in, and the page says so', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page }) => {
      const device = await withDevice(page, PLATFORM)
      await signIn(page, device, user)
      await press(page, ADD)
      await open(page)
      await press(page, 'Remove')
      await press(page, 'Remove')
      await forget(page)
      await openWith(page, device)
      await page.locator('#credential-error').waitFor()
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).to.equal('alert')
      expect(await page.locator('#credential-error').innerText()).to.include('does not sign you in')
    })
  })

  it('are all that a person without a password needs', async () => {
    const user = await verifiedUser(running)
    await visit(
      origin,
      async ({ page, complaints }) => {
        const device = await withDevice(page, PLATFORM)
        await withPasskey(page, device, user)
        await losePassword(store, user.id)
        await openWith(page, device)
        await isThere(page)
        await press(page, 'Add an authenticator app')
        const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '')
        await page.getByLabel('Code that').fill(totpAt(secret, running.now()))
        await press(page, 'Add this app')
        expect(await page.getByRole('status').innerText()).to.include('The app was added.')
        await press(page, 'New recovery codes')
        expect(await page.locator('.codes li').count()).to.equal(10)
        await open(page, 'step-up?continue=/auth/account/security')
        await press(page, USE)
        await press(page, 'Rename')
        await page.getByLabel('New name').fill('My phone')
        await press(page, 'Save')
        expect(await page.locator('.factors').innerText()).to.include('My phone')
        for (let left = 4; left > 0; left -= 1) await press(page, 'Remove')
        expect(await page.getByRole('alert').first().innerText()).to.include('you could not sign in any more')
        expect(await page.locator('.factors').innerText()).to.include('Passkey')
        await expectGood(page)
        expect(complaints).to.deep.equal([])
      },
      { viewport: PHONE },
    )
  })

  it('take a security key without a PIN as the second factor only', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      const device = await withDevice(page, ROAMING)
      await signIn(page, device, user)
      await press(page, ADD)
      await signIn(page, device, user)
      await press(page, USE)
      expect(await heading(page)).to.equal('Your second factors')
      await forget(page)
      await open(page)
      expect(await pressInVain(page, USE)).to.match(/^No passkey was used\./)
      expect(complaints).to.deep.equal([])
    })
  })

  it('let a person whose fingerprint was not read try again', async () => {
    const user = await verifiedUser(running)
    await visit(origin, async ({ page, complaints }) => {
      await page.addInitScript(RECORDING)
      const device = await withDevice(page, PLATFORM)
      await withPasskey(page, device, user)
      await page.evaluate(`sessionStorage.clear()`)
      await open(page)
      await isAsked(page) // before the device answers, or it would answer the question of the load
      await device.verify(false)
      await device.touch(true)
      expect(await pressInVain(page, USE)).to.match(/^No passkey was used\. Try again/)
      await device.verify(true)
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
          await signIn(page, NO_DEVICE, user)
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

const NO_DEVICE = { verify: async () => undefined, touch: async () => undefined }

/** The application of a user takes over the account: the password goes, the passkey stays. */
const losePassword = async (store: Store, userId: string) => {
  const user = toUndefined(await succeed(store.findUser(userId)))
  if (user === undefined) throw new Error('there is no such user')
  await succeed(store.commit(change({ _tag: 'AccountClaimed', user })))
}

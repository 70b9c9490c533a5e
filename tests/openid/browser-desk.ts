import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Environment } from '../../adapters/config/settings.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { WITH_REGISTRATION } from '../account-pages/register-desk.ts'
import type { Visit, Visitor } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, totpAt, type verifiedUser } from '../support/factor-desk.ts'
import { type MemoryMailer, memoryMailer } from '../support/memory-mailer.ts'
import { type BrowserApp, newBrowserApp, type Shown } from './browser-app.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'

export const PHONE = { width: 320, height: 640 }

type User = Pick<Awaited<ReturnType<typeof verifiedUser>>, 'email' | 'password'>

/** The provider on `localhost`, and two applications of another site. */
export type OpenIdPlace = Readonly<{
  provider: OpenIdService
  mailer: MemoryMailer
  shop: BrowserApp
  blog: BrowserApp
  /** The client that the shop is. */
  client: TestClient
  /** Opens a browser on a phone, which reaches the provider and the applications only. It must complain of nothing but `permitted`. */
  visit: (
    use: (visit: Visit) => Promise<void>,
    options?: BrowserContextOptions,
    more?: Readonly<{ apps?: ReadonlyArray<BrowserApp>; permitted?: RegExp }>,
  ) => Promise<void>
  stop: () => Promise<void>
}>

export const startOpenIdPlace = async (
  visitor: Visitor,
  environment: Environment = {},
): Promise<OpenIdPlace> => {
  const PORT = String(await freePort())
  const mailer = memoryMailer()
  const provider = await startOpenId(
    {
      ...FACTOR_SETTINGS,
      ...WITH_REGISTRATION,
      PASSKEY_RP_ID: 'localhost',
      PORT,
      PUBLIC_URL: `http://localhost:${PORT}`,
      ...environment,
    },
    provide(Dependency.mailer, () => some(mailer)),
  )
  const connected = async (name: string) => {
    const app = await newBrowserApp()
    const client = await provider.client(name, {
      redirectUris: [app.redirectUri],
      logoutUris: [app.logoutUri],
    })
    await app.connect(provider.issuer, client)
    return { app, client }
  }
  const shop = await connected('shop')
  const blog = await connected('blog')
  return {
    provider,
    mailer,
    shop: shop.app,
    blog: blog.app,
    client: shop.client,
    visit: (use, options = {}, { apps = [], permitted = REFUSED } = {}) =>
      visitor(
        provider.issuer,
        async (visit) => {
          const { page, complaints } = visit
          for (const { origin } of [shop.app, blog.app, ...apps])
            await page.context().route(
              (url) => url.origin === origin,
              (route) => route.continue(),
            )
          await use(visit)
          expect(complaints.filter((one) => !permitted.test(one))).to.deep.equal([])
        },
        { viewport: PHONE, ...options },
      ),
    stop: async () => {
      await Promise.all([shop.app.stop(), blog.app.stop()])
      await provider.pages.stop()
    },
  }
}

/** Chromium complains of every page with an error. */
const REFUSED = /status of (?:400|422)/

export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
export const notice = (page: Page) => page.getByRole('status').innerText()
export const fill = (page: Page, label: string, value: string) =>
  page.getByLabel(label, { exact: true }).fill(value)
export const press = (page: Page, name: string) =>
  Promise.all([
    page.waitForEvent('load'),
    page.getByRole('button', { name, exact: true }).first().press('Enter'),
  ])
export const follow = (page: Page, name: string) =>
  Promise.all([page.waitForEvent('load'), page.getByRole('link', { name, exact: true }).press('Enter')])

export const fillSignIn = async (page: Page, { email, password }: User) => {
  expect(await heading(page)).to.equal('Sign in')
  await fill(page, 'E-mail address', email)
  await fill(page, 'Password', password)
  await press(page, 'Sign in')
}

/** What the application shows, once the person is back there. */
export const shownBy = async (page: Page, { origin }: BrowserApp): Promise<Shown> => {
  await page.waitForURL((url) => url.origin === origin, { waitUntil: 'load' })
  return JSON.parse(await page.locator('pre').innerText())
}

/** Adds an authenticator app on the page for second factors. Returns its secret, and the recovery codes. */
export const addApp = async (page: Page, now: () => number) => {
  await press(page, 'Add an authenticator app')
  const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '')
  await fill(page, 'Code that the app shows', totpAt(secret, now()))
  await press(page, 'Add this app')
  expect(await heading(page)).to.equal('Your app was added')
  return { secret, codes: await page.locator('.codes code').allInnerTexts() }
}

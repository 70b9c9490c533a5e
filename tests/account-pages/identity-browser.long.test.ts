import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { violations } from '../support/axe.ts'
import { describeInBrowser, type Visit } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { FACTOR_SETTINGS, verifiedUser } from '../support/factor-desk.ts'
import { type Providers, startProviders } from './identities-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

/** `localhost` is another site than `127.0.0.1`, where the provider is. */
describeInBrowser('sign-in with an identity provider in a browser', (visitor) => {
  let providers: Providers
  let running: PagesService
  let base: string
  let subjects = 0
  before(async () => {
    const PORT = String(await freePort())
    base = `http://localhost:${PORT}/auth`
    providers = await startProviders(base)
    running = await startPages({ ...FACTOR_SETTINGS, ...providers.environment, PORT, PUBLIC_URL: base })
  })
  after(async () => {
    await running.stop()
    await providers.stop()
  })

  /** A browser in which the page of the provider has a link that leads back, as after a sign-in there. */
  const visit = async (
    email: string,
    use: (visit: Visit) => Promise<void>,
    options: BrowserContextOptions = {},
  ) => {
    subjects += 1
    const person = { id: subjects, email }
    await visitor(
      base,
      async (there) => {
        await there.page.context().route(
          ({ origin }) => origin === providers.google.issuer,
          async (route) => {
            const start = route.request().url()
            const redirect = new URL(start).searchParams.get('redirect_uri')
            const answer = await providers.google.signIn(start, person)
            const body = `<a href="${`${redirect}${answer}`.replaceAll('&', '&amp;')}">I am ${email}</a>`
            await route.fulfill({ contentType: 'text/html', body })
          },
        )
        await use(there)
      },
      options,
    )
  }
  const choose = async (page: Page, button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.waitForURL(({ origin }) => origin === providers.google.issuer)
  }
  const comeBack = async (page: Page) => {
    await page.getByRole('link').click()
    await page.waitForURL((url) => url.href.startsWith(base))
  }
  const pathOf = (page: Page) => page.url().slice(base.length)

  it('works in two tabs at once, without a script', async () => {
    const { email } = await verifiedUser(running)
    await visit(
      email,
      async ({ page, complaints }) => {
        const other = await page.context().newPage()
        await page.goto(`${base}/account/sign-in`)
        await other.goto(`${base}/account/security`)
        for (const tab of [page, other]) await choose(tab, 'Sign in with Google')
        for (const tab of [other, page]) await comeBack(tab)
        expect([pathOf(page), pathOf(other)]).to.deep.equal(['/account', '/account/security'])
        expect(await page.locator('.who').innerText()).to.include(email)
        const names = (await page.context().cookies()).map(({ name }) => name)
        expect(names).to.deep.equal(['__Host-portcullis'])
        expect(complaints).to.deep.equal([])
      },
      { javaScriptEnabled: false },
    )
  })

  it('goes on in the browser that began it, and in no other one', async () => {
    const { email } = await verifiedUser(running)
    await visit(email, async ({ page }) => {
      await page.goto(`${base}/account/sign-in`)
      await choose(page, 'Sign in with Google')
      const answer = (await page.getByRole('link').getAttribute('href')) ?? ''
      await visit(email, async ({ page: foreign, complaints }) => {
        await foreign.goto(answer)
        expect(await foreign.getByRole('alert').innerText()).to.include('started in another browser')
        expect(await violations(foreign)).to.deep.equal([])
        await foreign.getByRole('link', { name: 'Sign in again' }).click()
        expect(pathOf(foreign)).to.equal('/account/sign-in')
        expect(await violations(foreign)).to.deep.equal([])
        expect(complaints).to.deep.equal([])
      })
      await comeBack(page)
      expect(pathOf(page)).to.equal('/account')
      await page.goBack()
      expect(await page.title()).not.to.include('Error')
    })
  })

  it('is linked and confirms later who is there', async () => {
    const { email, password } = await verifiedUser(running)
    await visit('work@example.org', async ({ page, complaints }) => {
      await page.goto(`${base}/account/security`)
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await choose(page, 'Link Google')
      await comeBack(page)
      expect(await page.getByRole('status').innerText()).to.include('The provider is linked.')
      expect(await violations(page)).to.deep.equal([])
      await page.goto(`${base}/account/step-up?continue=/auth/account/password`)
      await choose(page, 'Confirm with Google')
      await comeBack(page)
      expect(pathOf(page)).to.equal('/account/password')
      expect(complaints).to.deep.equal([])
    })
  })
})

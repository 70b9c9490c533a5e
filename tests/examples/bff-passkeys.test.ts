import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { FACTOR_SETTINGS, verifiedUser } from '../support/factor-desk.ts'
import { permitPasskeys } from '../support/passkey-desk.ts'
import { START, timed } from '../support/second-factor-service.ts'
import { PLATFORM, withDevice } from '../support/virtual-authenticator.ts'
import { formsWith, problems, send, shows } from './bff-page.ts'
import { type FrontEnd, startFrontEnd } from './bff-process.ts'

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

describeInBrowser('passkeys in the example front end', (visit) => {
  let front: FrontEnd
  let time: { now: number }
  let user: Readonly<{ email: string; password: string }>
  beforeEach(async () => {
    time = { now: START }
    front = await startFrontEnd({ ...FACTOR_SETTINGS, PASSKEY_RP_ID: 'localhost' }, ...timed(time))
    await permitPasskeys(front.running, front.url)
    user = await verifiedUser(front.running)
  })
  afterEach(async () => expect(await front.stop()).to.equal(0))

  /** Opens the page after so many seconds. */
  const open = (page: Page, secondsLater = 1) => {
    time.now += secondsLater * 1000
    return page.goto(front.url)
  }
  const signIn = async (page: Page, { email, password } = user): Promise<void> => {
    await open(page)
    await send(page, 'sign_in', { email, password })
  }
  const signInAlone = async (page: Page): Promise<void> => {
    await open(page)
    await send(page, 'sign_in_passkey')
  }
  const isSignedIn = (page: Page): Promise<boolean> => shows(page, `You are signed in as ${user.email}.`)
  const codesOn = (page: Page): Promise<number> => page.locator('li code').count()
  const alertOf = (page: Page, form: string) => page.locator(`form[action="/${form}"] [role=alert]`)

  it('cover the whole life of one', async () => {
    await visit(front.url, async ({ page, complaints }) => {
      await withDevice(page, PLATFORM)
      await signIn(page)
      await send(page, 'add_passkey', { name: 'x'.repeat(65) })
      expect(await problems(page, 'add_passkey')).to.have.all.keys('name')
      await send(page, 'add_passkey', { name: 'Laptop' })
      expect(await codesOn(page)).to.equal(10)
      await open(page)
      expect(await shows(page, 'Laptop, since')).to.equal(true)

      await page.locator('form[action="/add_passkey"] button').click()
      await page.getByText('The browser gave no passkey. Try again.').waitFor()
      await send(page, 'sign_out')

      await open(page)
      time.now += 301_000
      await send(page, 'sign_in_passkey')
      expect(await alertOf(page, 'sign_in_passkey').innerText()).to.include('does not sign')
      await send(page, 'sign_in_passkey')
      expect(await isSignedIn(page)).to.equal(true)
      await send(page, 'sign_out')

      await signIn(page)
      expect(await isSignedIn(page)).to.equal(false)
      expect(await formsWith(page, 'prove_')).to.deep.equal(['prove_passkey', 'prove_recovery_code'])
      await send(page, 'prove_passkey')
      expect(await isSignedIn(page)).to.equal(true)

      await open(page, 601)
      await send(page, 'new_codes')
      expect(await formsWith(page, 'confirm_')).to.deep.equal(['confirm_passkey', 'confirm_recovery_code'])
      await send(page, 'confirm_passkey')
      await send(page, 'new_codes')
      expect(await codesOn(page)).to.equal(10)

      await open(page)
      await send(page, 'remove_factor')
      expect(await formsWith(page, 'remove_factor')).to.deep.equal([])
      await send(page, 'sign_out')
      await signInAlone(page)
      expect(await alertOf(page, 'sign_in_passkey').innerText()).to.include('does not sign')
      await signIn(page)
      expect(await isSignedIn(page)).to.equal(true)
      expect(complaints.filter((one) => !/ (401|422) /.test(one))).to.deep.equal([])
    })
  })

  it('say why none can be added, and ask for the password before', async () => {
    await visit(front.url, async ({ page }) => {
      await withDevice(page, PLATFORM)
      await signIn(page, front.running.user)
      await send(page, 'add_passkey')
      expect(await alertOf(page, 'add_passkey').innerText()).to.include('e-mail')
      await send(page, 'sign_out')

      await signIn(page)
      await open(page, 601)
      await send(page, 'add_passkey')
      expect(await formsWith(page, 'confirm_')).to.deep.equal(['confirm_password'])
      await send(page, 'confirm_password', { password: user.password })
      await send(page, 'add_passkey')
      expect(await codesOn(page)).to.equal(10)
    })
  })

  it('allow one script, only on a page with a button for a passkey', async () => {
    const page = await fetch(front.url)
    const [[, script = ''] = [], ...others] = (await page.text()).matchAll(/<script>(.*?)<\/script>/gs)
    expect(others).to.deep.equal([])
    const hash = createHash('sha256').update(script).digest('base64')
    expect(page.headers.get('content-security-policy')).to.equal(`${POLICY}; script-src 'sha256-${hash}'`)
    const other = await fetch(`${front.url}/recovery?link=x`)
    expect(other.headers.get('content-security-policy')).to.equal(POLICY)
    expect(await other.text()).not.to.include('<script')
  })

  it('show no button without scripts', async () => {
    await visit(
      front.url,
      async ({ page }) => {
        await signIn(page)
        expect(await formsWith(page, 'add_')).to.deep.equal(['add_app', 'add_passkey'])
        expect(await page.locator('form[action="/add_passkey"]').isVisible()).to.equal(false)
        expect(await page.locator('form[action="/add_app"]').isVisible()).to.equal(true)
      },
      { javaScriptEnabled: false },
    )
  })
})

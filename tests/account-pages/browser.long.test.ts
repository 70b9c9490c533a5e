import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../support/browser.ts'
import { freePort } from '../support/command.ts'
import { type PagesService, startPages } from './pages-service.ts'

const NEW = 'quarrel lantern meadow'

describeInBrowser('the pages for people in a browser, by keyboard only', (visit) => {
  let running: PagesService
  beforeEach(async () => {
    const PORT = String(await freePort())
    const PUBLIC_URL = `http://127.0.0.1:${PORT}/auth`
    running = await startPages({ PORT, PUBLIC_URL, PASSWORD_POLICY: 'nist' })
  })
  afterEach(() => running.stop())

  const at = (path: string): string => `${running.baseUrl}/auth${path}`
  const heading = (page: Page): Promise<string> => page.locator('h1').innerText()
  const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id')
  const errorCodes = (page: Page) =>
    page.evaluate<Readonly<Record<string, string>>>(
      `Object.fromEntries([...document.querySelectorAll('.error')].map(({ id, dataset }) => [id, dataset.code]))`,
    )

  /** Types into the fields one after the other, and sends the form with Enter. */
  const fillIn = async (
    page: Page,
    fields: ReadonlyArray<readonly [id: string, text: string]>,
  ): Promise<void> => {
    for (const [id, text] of fields) {
      // Behind a password is the button that shows it.
      for (let tabs = 0; tabs < 3 && (await focusedId(page)) !== id; tabs += 1)
        await page.keyboard.press('Tab')
      expect(await focusedId(page)).to.equal(id)
      await page.keyboard.type(text)
    }
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  }

  const signIn = (page: Page) =>
    fillIn(page, [
      ['email', running.ada.email],
      ['password', running.ada.password],
    ])

  it('change a password, after the user has corrected every mistake', async () => {
    await visit(at('/account/password'), async ({ page, requests, complaints }) => {
      await page.goto(`${running.baseUrl}/.well-known/change-password`)
      expect(page.url()).to.include(at('/account/sign-in?continue='))
      await signIn(page)
      expect(page.url()).to.equal(at('/account/password'))
      await fillIn(page, [
        ['old_password', 'wrong'],
        ['new_password', 'short'],
        ['new_password_check', 'other'],
      ])
      expect(await page.title()).to.equal('Error: Change your password – Portcullis')
      expect(await errorCodes(page)).to.deep.equal({
        'old_password-error': '4',
        'new_password-error': '7',
        'new_password_check-error': '5',
      })
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).to.equal('alert')

      await page.keyboard.press('Tab') // the first link of the summary
      await page.keyboard.press('Enter')
      expect(await focusedId(page)).to.equal('old_password')
      expect(await page.inputValue('#username')).to.equal(running.ada.email)
      await page.keyboard.type(running.ada.password)
      await fillIn(page, [
        ['new_password', 'short'],
        ['new_password_check', 'short'],
      ])
      expect(await errorCodes(page)).to.deep.equal({ 'new_password-error': '7' })

      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      expect(await focusedId(page)).to.equal('username')
      await fillIn(page, [
        ['old_password', running.ada.password],
        ['new_password', NEW],
        ['new_password_check', NEW],
      ])
      expect(await heading(page)).to.equal('Your account')
      expect(await page.getByRole('status').innerText()).to.include('Your password was changed.')
      expect(await running.accepts(NEW)).to.equal(true)
      const failed = complaints.filter((words) => !words.includes('422'))
      expect(failed).to.deep.equal([])
      const paths = new Set(
        requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).pathname),
      )
      expect([...paths]).to.deep.equal([
        '/.well-known/change-password',
        '/auth/account/password',
        '/auth/account/sign-in',
        '/auth/account',
      ])
    })
  })

  it('set a new password with the link of a mail, and the token leaves the address', async () => {
    const token = await running.recoveryToken()
    await visit(at('/account/recovery'), async ({ page, complaints }) => {
      await page.goto(at(`/account/recovery?token=${token}`))
      expect(await heading(page)).to.equal('Choose a new password')
      await fillIn(page, [
        ['new_password', NEW],
        ['new_password_check', NEW],
      ])
      expect(await heading(page)).to.equal('Sign in')
      expect(await page.getByRole('status').innerText()).to.include('Your new password is set')
      expect(page.url()).to.equal(at('/account/sign-in?notice=recovered'))
      expect(await running.accepts(NEW)).to.equal(true)
      expect(complaints).to.deep.equal([])

      await page.goto(at(`/account/recovery?token=${token}`))
      expect(await page.getByRole('status').innerText()).to.equal('This was done already. Sign in.')
      await fillIn(page, [
        ['email', running.ada.email],
        ['password', NEW],
      ])
      expect(await heading(page)).to.equal('Your account')
    })
  })

  it('confirm an e-mail with one key', async () => {
    const token = await running.confirmationToken()
    await visit(at('/account/email'), async ({ page, complaints }) => {
      await page.goto(at(`/account/email?token=${token}`))
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').innerText()).to.equal('Confirm')
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Space')])
      expect(await heading(page)).to.equal('Your e-mail address is confirmed')
      expect(await running.isVerified()).to.equal(true)
      expect(complaints).to.deep.equal([])
    })
  })

  it('refuse a form that another site sends', async () => {
    const token = await running.confirmationToken()
    const elsewhere = 'http://elsewhere.test/'
    await visit(at('/account/email'), async ({ page }) => {
      await page.route(elsewhere, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${at('/account/email')}"><button name="token" value="${token}">Win</button></form>`,
        }),
      )
      await page.goto(elsewhere)
      const [answer] = await Promise.all([
        page.waitForResponse(at('/account/email')),
        page.getByRole('button').press('Enter'),
      ])
      expect(answer.status()).to.equal(403)
      expect(await page.getByRole('alert').innerText()).to.include('The form came from another site')
      expect(await running.isVerified()).to.equal(false)
    })
  })

  it('cannot be shown in a frame', async () => {
    await visit(at('/account/password'), async ({ page, complaints }) => {
      const outside = at('/frame')
      const body = `<iframe src="${at('/account/password')}"></iframe>`
      await page.route(outside, (route) => route.fulfill({ contentType: 'text/html', body }))
      await page.goto(outside)
      expect(complaints.join()).to.include('frame-ancestors')
    })
  })

  it('work without JavaScript', async () => {
    await visit(
      at('/account/password'),
      async ({ page }) => {
        await page.goto(at('/account/password'))
        await page.getByLabel('E-mail address').fill(running.ada.email)
        await page.getByLabel('Password').fill(running.ada.password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByLabel('Current password').fill(running.ada.password)
        await page.getByLabel('New password', { exact: true }).fill(NEW)
        await page.getByLabel('New password again').fill(NEW)
        await page.getByRole('button', { name: 'Change password' }).click()
        expect(await page.getByRole('status').innerText()).to.include('Your password was changed.')
        await page.getByRole('button', { name: 'Sign out' }).click()
        expect(await page.getByRole('status').innerText()).to.equal('You are signed out.')
      },
      { javaScriptEnabled: false },
    )
  })

  it('tell password managers what each field is', async () => {
    const token = await running.recoveryToken()
    const NEW_PASSWORDS = [
      ['new_password', 'password', 'new-password', 15],
      ['new_password_check', 'password', 'new-password', -1],
    ]
    await visit(at('/account/password'), async ({ page }) => {
      const fields = () =>
        page.evaluate(
          `[...document.querySelectorAll('input:not([type=hidden])')].map((one) => [one.name, one.type, one.autocomplete, one.minLength])`,
        )
      await page.goto(at('/account/password'))
      expect(await fields()).to.deep.equal([
        ['email', 'email', 'username webauthn', -1],
        ['password', 'password', 'current-password', -1],
      ])
      await signIn(page)
      expect(await fields()).to.deep.equal([
        ['username', 'email', 'username', -1],
        ['old_password', 'password', 'current-password', -1],
        ...NEW_PASSWORDS,
      ])
      await page.goto(at(`/account/recovery?token=${token}`))
      expect(await fields()).to.deep.equal([['username', 'email', 'username', -1], ...NEW_PASSWORDS])
    })
  })

  it('describe each field to screen readers: its hint, and its error', async () => {
    await visit(at('/account/password'), async ({ page }) => {
      await page.goto(at('/account/password'))
      await signIn(page)
      await page.getByLabel('Current password').fill('wrong')
      await page.getByRole('button', { name: 'Change password' }).press('Enter')
      await page.getByRole('alert').waitFor()
      const described = await page.evaluate(
        `[...document.querySelectorAll('input:not([type=hidden])')].map((one) => [one.name, one.getAttribute('aria-invalid'),
          (one.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.innerText).join(' ')])`,
      )
      expect(described).to.deep.equal([
        ['username', null, ''],
        ['old_password', 'true', 'Error: The password is wrong.'],
        [
          'new_password',
          'true',
          'Use at least 15 characters. Several words are easy to remember. Error: Enter a new password.',
        ],
        ['new_password_check', 'true', 'Error: Enter the new password again.'],
      ])
    })
  })
})

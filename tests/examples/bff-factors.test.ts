import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { Page } from 'playwright-core'
import { bytesOfBase32 } from '../../domain/base32.ts'
import { describeInBrowser } from '../support/browser.ts'
import { FACTOR_SETTINGS, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { START, timed } from '../support/second-factor-service.ts'
import { wrongCodeAt } from '../support/second-factors.ts'
import { formsWith, problems, send, shows } from './bff-page.ts'
import { type FrontEnd, mailAt, startFrontEnd } from './bff-process.ts'

type Credentials = Readonly<{ email: string; password: string }>

describeInBrowser('the second factor of the example front end', (visit) => {
  let front: FrontEnd
  let time: { now: number }
  let user: Credentials & Readonly<{ id: string }>
  let secret: string
  beforeEach(async () => {
    time = { now: START }
    front = await startFrontEnd(FACTOR_SETTINGS, ...timed(time))
    user = await verifiedUser(front.running)
  })
  afterEach(async () => expect(await front.stop()).to.equal(0))

  const passSeconds = (seconds: number): void => {
    time.now += seconds * 1000
  }
  /** The next code of the app. Each is accepted once. */
  const nextCode = (): string => {
    passSeconds(30)
    return totpAt(secret, time.now)
  }
  const wrongCode = (): string =>
    wrongCodeAt(toUndefined(bytesOfBase32(secret)) ?? new Uint8Array(), time.now)
  const signIn = async (page: Page, { email, password }: Credentials = user): Promise<void> => {
    await page.goto(front.url)
    await send(page, 'sign_in', { email, password })
  }
  const isSignedIn = (page: Page): Promise<boolean> => shows(page, `You are signed in as ${user.email}.`)
  const codesOn = (page: Page): Promise<ReadonlyArray<string>> => page.locator('li code').allInnerTexts()
  const startEnrolment = async (page: Page): Promise<string> => {
    await send(page, 'add_app')
    const shown = await page.locator('code').innerText()
    secret = shown.replaceAll(' ', '')
    return shown
  }
  it('covers the whole life of an authenticator app', async () => {
    await visit(front.url, async ({ page, complaints }) => {
      await signIn(page)
      expect(await startEnrolment(page)).to.match(/^(\w{4} ){7}\w{4}$/)
      const link = (await page.locator('a[href^="otpauth:"]').getAttribute('href')) ?? ''
      expect(new URL(link).searchParams.get('secret')).to.equal(secret)

      await send(page, 'enrol_app', { totp: wrongCode(), name: 'Phone' })
      expect(await problems(page, 'enrol_app')).to.have.all.keys('totp')
      expect(await page.inputValue('form[action="/enrol_app"] input[name=name]')).to.equal('Phone')
      expect(await page.inputValue('input[name=totp]')).to.equal('')
      await send(page, 'enrol_app', { totp: nextCode(), name: 'Phone' })
      const codes = await codesOn(page)
      expect(codes).to.have.lengthOf(10)
      await page.getByRole('link').click()
      expect(await shows(page, 'Recovery codes left: 10')).to.equal(true)
      expect(await page.content()).not.to.match(new RegExp([secret, ...codes].join('|')))
      expect(await formsWith(page, 'enrol_app')).to.deep.equal([])

      await visit(front.url, async ({ page: second, requests }) => {
        await signIn(second)
        expect(await isSignedIn(second)).to.equal(false)
        expect(await second.locator('[role=status]').innerText()).to.equal('')
        expect(await formsWith(second, 'prove_')).to.deep.equal(['prove_totp', 'prove_recovery_code'])
        const [cookie, ...others] = await second.context().cookies()
        expect(others).to.deep.equal([])
        expect(cookie).to.include({ name: '__Host-waiting', secure: true, httpOnly: true, sameSite: 'Lax' })
        expect((cookie?.expires ?? 0) - Date.now() / 1000).to.be.within(200, 301)
        for (const place of [await second.content(), cookie?.value, requests.join(' ')])
          expect(place).not.to.include('ost_')

        await send(second, 'prove_totp', { totp: wrongCode() })
        expect(await problems(second, 'prove_totp')).to.have.all.keys('totp')
        await send(second, 'prove_totp', { totp: nextCode() })
        expect(await isSignedIn(second)).to.equal(true)
        expect((await second.context().cookies()).map(({ name }) => name)).to.deep.equal(['__Host-session'])
      })

      await visit(front.url, async ({ page: third }) => {
        await signIn(third)
        await send(third, 'prove_recovery_code', { recoveryCode: 'aaaa-bbbb' })
        expect(await problems(third, 'prove_recovery_code')).to.have.all.keys('recoveryCode')
        await send(third, 'prove_recovery_code', { recoveryCode: codes[0] ?? '' })
        expect(await shows(third, 'Recovery codes left: 9')).to.equal(true)

        passSeconds(600)
        await page.goto(front.url)
        await send(page, 'new_codes')
        expect(await formsWith(page, 'confirm_')).to.deep.equal(['confirm_totp', 'confirm_recovery_code'])
        await send(page, 'confirm_totp', { totp: wrongCode() })
        expect(await problems(page, 'confirm_totp')).to.have.all.keys('totp')
        await send(page, 'confirm_totp', { totp: nextCode() })
        expect(await formsWith(page, 'confirm_')).to.deep.equal([])
        await send(page, 'new_codes')
        const renewed = await codesOn(page)
        expect(renewed).to.have.lengthOf(10).and.not.to.include.members(codes.slice(1, 2))
        await third.goto(front.url)
        expect(await isSignedIn(third)).to.equal(false)
      })

      await page.goto(front.url)
      passSeconds(601)
      const wanted = { email: 'ada@new.test', password: user.password }
      await send(page, 'change_email', wanted)
      await send(page, 'confirm_totp', { totp: nextCode() })
      await send(page, 'change_email', wanted)
      await mailAt(front, 'ada@new.test', 'Confirm your e-mail address')
      await send(page, 'rename_factor', { name: 'x'.repeat(65) })
      expect(await problems(page, 'rename_factor')).to.have.all.keys('name')
      await send(page, 'rename_factor', { name: '<b>Tablet</b>' })
      expect(await shows(page, '<b>Tablet</b>, since')).to.equal(true)
      await send(page, 'remove_factor')
      expect(await formsWith(page, 'remove_factor')).to.deep.equal([])
      expect(await shows(page, 'Recovery codes left')).to.equal(false)

      await send(page, 'sign_out')
      await signIn(page)
      expect(await isSignedIn(page)).to.equal(true)
      expect(complaints.filter((one) => !/ (401|422) /.test(one))).to.deep.equal([])
    })
  })

  it('shows the secret of an enrolment to no other user of the browser', async () => {
    await visit(front.url, async ({ page }) => {
      await signIn(page)
      await send(page, 'add_app')
      expect(await formsWith(page, 'enrol_app')).to.deep.equal(['enrol_app'])
      await send(page, 'sign_out')
      await signIn(page, front.running.user)
      expect(await formsWith(page, 'enrol_app')).to.deep.equal([])
    })
  })
})

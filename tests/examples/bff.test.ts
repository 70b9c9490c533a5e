import { expect } from 'chai'
import { describeInBrowser } from '../support/browser.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { problems, send, shows } from './bff-page.ts'
import { type FrontEnd, mailAt, startFrontEnd } from './bff-process.ts'
import type { Received } from './mail/mailbox.ts'

const BOB = { email: 'bob@example.com', password: 'nine purple otters sing' }

describeInBrowser('the example front end in a browser', (visit) => {
  let front: FrontEnd
  beforeEach(async () => {
    front = await startFrontEnd()
  })
  afterEach(async () => expect(await front.stop()).to.equal(0))

  const mailTo = (address: string, subject: string) => mailAt(front, address, subject)
  const linkIn = ({ text }: Received): string =>
    text.split(/\r?\n/).find((line) => line.startsWith(front.url)) ?? ''

  it('covers the whole life of an account', async () => {
    await visit(front.url, async ({ page, complaints }) => {
      await page.goto(front.url)
      await send(page, 'register', { email: front.running.user.email })
      expect(await problems(page, 'register')).to.have.all.keys('email', 'password')
      expect(await page.inputValue('form[action="/register"] input[name=email]')).to.equal(
        front.running.user.email,
      )

      await send(page, 'register', BOB)
      await page.goto(linkIn(await mailTo(BOB.email, 'Confirm your e-mail address')))
      await send(page, 'email', {})
      expect(await shows(page, 'Done: Confirm your e-mail.')).to.equal(true)

      await send(page, 'sign_in', { ...BOB, password: 'wrong' })
      expect(await problems(page, 'sign_in')).to.have.all.keys('password')
      await send(page, 'sign_in', BOB)
      expect(await shows(page, `You are signed in as ${BOB.email}.`)).to.equal(true)

      const elsewhere = await front.running.userToken(BOB)
      await page.goto(front.url)
      expect(await page.locator('li').count()).to.equal(2)
      await send(page, 'end_session', {})
      expect(await page.locator('li').allInnerTexts()).to.have.lengthOf(1)
      const { status } = await front.running.send({
        method: 'GET',
        path: '/api/v1/profile',
        token: elsewhere,
      })
      expect(status).to.equal(401)

      const wrong = { oldPassword: 'wrong', newPassword: '', newPasswordCheck: 'other' }
      await send(page, 'change_password', wrong)
      expect(await problems(page, 'change_password')).to.have.all.keys(...Object.keys(wrong))
      expect(await page.inputValue('input[name=oldPassword]')).to.equal('')
      const changed = 'quarrel lantern meadow'
      await send(page, 'change_password', {
        oldPassword: BOB.password,
        newPassword: changed,
        newPasswordCheck: changed,
      })
      expect(await shows(page, 'Done: Change password.')).to.equal(true)
      await mailTo(BOB.email, 'Your password was changed')

      await send(page, 'change_email', { email: 'bob@new.test', password: 'wrong' })
      expect(await problems(page, 'change_email')).to.have.all.keys('password')
      await send(page, 'change_email', { email: 'bob@new.test', password: changed })
      await mailTo(BOB.email, 'Another e-mail address was entered for your account')
      await page.goto(linkIn(await mailTo('bob@new.test', 'Confirm your e-mail address')))
      await send(page, 'email', {})
      expect(await shows(page, 'You are signed in as bob@new.test.')).to.equal(true)
      for (const address of [BOB.email, 'bob@new.test'])
        await mailTo(address, 'Your e-mail address was changed')

      await send(page, 'sign_out', {})
      expect(await shows(page, 'You are signed in')).to.equal(false)
      expect(await page.context().cookies()).to.deep.equal([])

      await send(page, 'forgotten', { email: 'BOB@new.test' })
      const link = linkIn(await mailTo('bob@new.test', 'Set a new password'))
      await page.goto(link)
      await send(page, 'recovery', { newPassword: 'forgotten no more', newPasswordCheck: 'other' })
      expect(await problems(page, 'recovery')).to.have.all.keys('newPasswordCheck')
      const recovered = { newPassword: 'forgotten no more', newPasswordCheck: 'forgotten no more' }
      await send(page, 'recovery', recovered)
      await mailTo('bob@new.test', 'Your password was reset')
      await page.goto(link)
      await send(page, 'recovery', recovered)
      expect(await page.locator('form [role=alert]').innerText()).to.include('token')

      await page.goto(front.url)
      await send(page, 'sign_in', { email: 'bob@new.test', password: recovered.newPassword })
      await send(page, 'remove', { password: 'wrong' })
      expect(await problems(page, 'remove')).to.have.all.keys('password')
      await send(page, 'remove', { password: recovered.newPassword })
      await mailTo('bob@new.test', 'Your account was removed')
      await send(page, 'sign_in', { email: 'bob@new.test', password: recovered.newPassword })
      expect(await problems(page, 'sign_in')).to.have.all.keys('password')

      expect(complaints.filter((one) => !one.includes('422'))).to.deep.equal([])
    })
  })

  it('keeps the token in a cookie that no script and no other site can use', async () => {
    const { email, password } = front.running.user
    await visit(front.url, async ({ page, requests }) => {
      await page.goto(front.url)
      await send(page, 'sign_in', { email, password })
      const [cookie, ...others] = await page.context().cookies()
      expect(others).to.deep.equal([])
      expect(cookie).to.include({
        name: '__Host-session',
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Lax',
      })
      const lifetime = (cookie?.expires ?? 0) - Date.now() / 1000
      expect(lifetime).to.be.within(43_000, 43_201)
      expect(await page.evaluate('document.cookie')).to.equal('')
      const { value = '' } = cookie ?? {}
      const decoded = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      const { public_api_key, private_api_key } = front.running.keys
      for (const place of [await page.content(), value, decoded.join(' '), requests.join(' ')]) {
        expect(place).not.to.match(/v4\.public|eyJ0eXAi/)
        for (const key of [public_api_key, private_api_key]) expect(place).not.to.include(key)
      }
    })
  })

  it('shows the sign-in when the session has ended, and removes the cookie', async () => {
    const { email, password } = front.running.user
    await visit(front.url, async ({ page }) => {
      await page.goto(front.url)
      await send(page, 'sign_in', { email, password })
      await succeed(front.running.service.disableUser(CONTEXT, email))
      await send(page, 'change_password', { oldPassword: password })
      expect(await page.locator('form[action="/sign_in"]').count()).to.equal(1)
      expect(await shows(page, 'You are signed in')).to.equal(false)
      expect(await page.context().cookies()).to.deep.equal([])
    })
  })
})

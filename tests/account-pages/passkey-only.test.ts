import { expect } from 'chai'
import { userHandleOf } from '../../domain/passkey.ts'
import { httpClient } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { PASSKEY_SETTINGS, passkeyDesk } from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../testkit/passkey-verifier/software-authenticator.ts'
import { type BrowserDesk, browserDesk, leadsTo } from './browser-desk.ts'
import { codesAtFields, type PageAnswer, type PagesService, startPages } from './pages-service.ts'
import { ceremonyIn, optionsIn, PAGES_ORIGIN } from './passkeys-desk.ts'

const SCOPE = 'users:vouch users:sign_in users:register users:confirm_email'

describe('a person without a password, whose only factor is a passkey', () => {
  let pages: PagesService
  let browser: BrowserDesk
  let device: SoftwareAuthenticator
  let id: string
  let close: () => Promise<void>
  const email = 'grace@example.com'

  beforeEach(async () => {
    pages = await startPages({ ...PASSKEY_SETTINGS, PUBLIC_URL: PAGES_ORIGIN })
    const client = httpClient(pages.baseUrl)
    close = client.close
    const portal = await succeed(pages.service.registerApplication(CONTEXT, { name: 'portal', scope: SCOPE }))
    await succeed(pages.service.setPasskeyOrigins(CONTEXT, 'portal', [PAGES_ORIGIN]))
    const { token } = await succeed(pages.service.issueApplicationToken(CONTEXT, portal))
    const post = async (path: string, body: object) =>
      (await client.send({ method: 'POST', path, token, body })).body
    ;({ id } = await post('/api/v1/users', { email, email_verified: true, without_password: true }))
    const vouched = await post('/api/v1/auth/user/vouched', { user_id: id, method: 'fed' })
    device = await softwareAuthenticator()
    const desk = passkeyDesk({ send: client.send, applicationToken: async () => token }, device, PAGES_ORIGIN)
    expect((await desk.enrol(vouched.token)).status).to.equal(201)
    browser = browserDesk({ ...pages, ada: { id, email, password: 'guessed' } })
  })
  afterEach(async () => {
    await close()
    await pages.stop()
  })

  /** Presses the button of a page for the passkey. */
  const press = async (path: string, page: PageAnswer, more: Readonly<Record<string, string>> = {}) => {
    const credential = await device.get(ceremonyIn(page), { userHandle: userHandleOf(id) })
    return browser.post(path, { credential, ...more })
  }
  const signIn = async () => press('/account/sign-in', await browser.get('/account/sign-in'))

  it('reads about any password what a stranger reads', async () => {
    const plain = ({ html }: PageAnswer) => html.replace(/ (?:value|data-options)="[^"]*"/g, '')
    const [own, unknown] = [await browser.signIn(), await browser.signIn({ email: 'unknown@example.com' })]
    expect([own.status, codesAtFields(own.html)]).to.deep.equal([422, { email: 3, password: 3 }])
    expect(plain(own)).to.equal(plain(unknown))
  })

  it('signs in with the passkey, and sees the account', async () => {
    expect(leadsTo(await signIn())).to.deep.equal([303, '/account'])
    const home = await browser.get('/account')
    expect(home.status).to.equal(200)
    expect(home.html).to.include(email).and.include('This device')
  })

  it('confirms with the passkey who it is, and is asked for no password', async () => {
    await signIn()
    const path = '/account/step-up'
    const page = await browser.get(`${path}?continue=/account/security`)
    expect(page.html).not.to.include('name="password"')
    expect(optionsIn(page)).to.include({ method: 'get' })
    const refused = await browser.post(path, { password: 'guessed' })
    expect([refused.status, codesAtFields(refused.html)]).to.deep.equal([422, { totp: 4 }])
    expect(leadsTo(await press(path, page, { continue: '/account/security' }))).to.deep.equal([
      303,
      '/account/security',
    ])
  })

  it('completes a sign-in with a new password by the passkey, and confirms with it again', async () => {
    const password = 'nine purple otters'
    await succeed(pages.service.setPassword(CONTEXT, { user: id, password }))
    const path = '/account/second-factor'
    expect(leadsTo(await browser.signIn({ password, continue: '/account/password' }))).to.deep.equal([
      303,
      path,
    ])
    const page = await browser.get(path)
    expect(leadsTo(await press(path, page))).to.deep.equal([303, '/account/password'])
    expect((await browser.get('/account/password')).html).to.include('name="old_password"')
    const again = await browser.get('/account/step-up')
    expect(again.html).not.to.include('name="password"')
    expect(leadsTo(await press('/account/step-up', again))).to.deep.equal([303, '/account'])
  })

  it('is told that there is no password to change, and a form of before changes none', async () => {
    await signIn()
    const page = await browser.get('/account/password')
    expect([page.status, page.html.includes('<form')]).to.deep.equal([200, false])
    const late = await browser.post('/account/password', {
      old_password: 'guessed',
      new_password: 'nine purple otters',
      new_password_check: 'nine purple otters',
    })
    expect([late.status, late.html.includes('href="#')]).to.deep.equal([422, false])
    expect(late.html).to.include('Your account has no password.')
  })
})

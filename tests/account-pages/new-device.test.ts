import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { type BrowserDesk, browserDesk } from './browser-desk.ts'
import { REGISTER, type RegisterDesk, startRegistering, tokenOf } from './register-desk.ts'

const DEVICE = '__Host-portcullis-device'
const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' }
const EVE = 'eve@example.com'
const CHOSEN = { new_password: 'correct horse battery', new_password_check: 'correct horse battery' }

describe('the mails that MAIL_EXTRA adds', () => {
  let pages: RegisterDesk
  let browser: BrowserDesk
  beforeEach(async () => {
    pages = await startRegistering({ MAIL_EXTRA: 'welcome new_sign_in', MAIL_CONNECTIONS: '1' })
    browser = browserDesk(pages)
  })
  afterEach(() => pages.stop())

  const signIn = (from: BrowserDesk) =>
    from.post('/account/sign-in', { email: pages.ada.email, password: pages.ada.password }, FIREFOX)
  const mails = () => pages.mailer.received.map(({ kind, to }) => `${kind} ${to}`)
  /** One connection sends mails in the order in which they were written, so all before the last one have come. */
  const allMails = async () => {
    const form =
      /name="session_id" value="([^"]*)"/.exec((await browser.get('/account/remove')).html)?.[1] ?? ''
    const password = pages.ada.password
    await browser.post('/account/remove', { session_id: form, password, sure: 'on' })
    return eventually('the last mail', async () =>
      mails().some((mail) => mail.startsWith('account_removed')) ? mails() : undefined,
    )
  }

  it('tell of a sign-in in a browser that is new, with its name, and of no further one there', async () => {
    await signIn(browser)
    const line = browser.received.find((received) => received.startsWith(DEVICE))
    expect(line).to.match(
      /^__Host-portcullis-device=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
    )
    const letter = await eventually('the notice', async () => pages.mailer.received[0])
    expect([letter.kind, letter.to]).to.deep.equal(['new_sign_in', pages.ada.email])
    expect(letter.text)
      .to.include('Firefox (Linux)')
      .and.match(/UTC|GMT/)
    await browser.post('/account/sign-out', {})
    expect([...browser.cookies.keys()], 'the mark outlives the session').to.deep.equal([DEVICE])
    await signIn(browser)
    expect(await allMails()).to.deep.equal([
      `new_sign_in ${pages.ada.email}`,
      `account_removed ${pages.ada.email}`,
    ])
    expect(browser.cookies.size, 'no mark of a removed account stays').to.equal(0)
  })

  for (const [what, spoiled] of [
    ['another browser', () => undefined],
    ['a forged mark', () => 'forged'],
    ['a session as a mark', (from: BrowserDesk) => from.cookies.get('__Host-portcullis')],
  ] as const)
    it(`tell of a sign-in with ${what}`, async () => {
      await signIn(browser)
      const other = browserDesk(pages)
      const mark = spoiled(browser)
      if (mark !== undefined) other.cookies.set(DEVICE, mark)
      await signIn(other)
      expect((await allMails()).filter((mail) => mail.startsWith('new_sign_in'))).to.have.lengthOf(2)
    })

  it('tell of a sign-in with the mark of another account', async () => {
    const link = pages.newLink(EVE)
    await browser.post(REGISTER, { token: tokenOf(link), ...CHOSEN })
    await browser.post('/account/sign-out', {})
    await signIn(browser)
    expect(await allMails()).to.deep.equal([
      `welcome ${EVE}`,
      `new_sign_in ${pages.ada.email}`,
      `account_removed ${pages.ada.email}`,
    ])
  })

  it('welcome a person who registers, who reads of no new sign-in', async () => {
    const eve = browserDesk(pages)
    await eve.post(REGISTER, { token: tokenOf(pages.newLink(EVE)), ...CHOSEN })
    expect([...eve.cookies.keys()].sort()).to.deep.equal(['__Host-portcullis', DEVICE])
    await signIn(browser)
    expect((await allMails()).slice(0, 2)).to.deep.equal([`welcome ${EVE}`, `new_sign_in ${pages.ada.email}`])
    const [welcome] = pages.mailer.received
    expect(welcome?.text).to.match(/^https:\/\/service\.test\/account$/m)
  })

  it('set no mark and tell nothing unless the setting names them', async () => {
    const own = await startRegistering({ MAIL_EXTRA: 'welcome' })
    try {
      const [one, other] = [browserDesk(own), browserDesk(own)]
      await one.signIn()
      expect([...one.cookies.keys()]).to.deep.equal(['__Host-portcullis'])
      await other.post(REGISTER, { token: tokenOf(own.newLink(EVE)), ...CHOSEN })
      const kinds = await eventually('the welcome', async () =>
        own.mailer.received.length > 0 ? own.mailer.received.map(({ kind }) => kind) : undefined,
      )
      expect(kinds).to.deep.equal(['welcome'])
    } finally {
      await own.stop()
    }
  })
})

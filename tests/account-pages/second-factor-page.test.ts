import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { hiddenIn, leadsTo } from './browser-desk.ts'
import { codeOfLink, codesAtFields } from './pages-service.ts'
import { codesIn, EVE, type SecurityDesk, type SecurityService, startSecurity } from './security-service.ts'

const PATH = '/account/second-factor'
const PENDING = '__Host-portcullis-2nd'

describe('a person with an authenticator app who signs in on the pages', () => {
  let page: SecurityService
  let browser: SecurityDesk
  let secret: string
  let codes: ReadonlyArray<string>
  beforeEach(async () => {
    const store = memoryStore()
    page = await startSecurity(
      store,
      {},
      provide(Dependency.storage, () => ({ store })),
    )
    const first = page.desk()
    await first.signIn()
    const enrolled = await first.enrol()
    ;({ secret } = enrolled)
    codes = codesIn(enrolled.shown)
    page.time.now += 60_000
    browser = page.desk()
  })
  afterEach(() => page.stop())

  it('has no session after the password, only the cookie of this step, for five minutes', async () => {
    const first = await browser.signIn({ continue: '/account/password' })
    expect(leadsTo(first)).to.deep.equal([303, PATH])
    expect(browser.received).to.have.length(1)
    expect(browser.received[0]).to.match(
      /^__Host-portcullis-2nd=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=300$/,
    )
    expect((await browser.get(PATH)).html).to.include('autocomplete="one-time-code"')
    expect(leadsTo(await browser.get('/account'))).to.deep.equal([303, '/account/sign-in'])

    const done = await browser.post(PATH, { totp: page.code(secret) })
    expect(leadsTo(done)).to.deep.equal([303, '/account/password'])
    expect([...browser.cookies.keys()]).to.deep.equal(['__Host-portcullis'])
    expect((await browser.get('/account')).status).to.equal(200)
  })

  it('gives its session to no browser that did not begin the sign-in', async () => {
    await browser.signIn()
    const form = { once: 'o'.repeat(22), totp: page.code(secret) }
    expect((await browser.post(PATH, form)).headers['set-cookie']).not.to.equal(undefined)
    const other = page.desk()
    expect(leadsTo(await other.post(PATH, form))).to.deep.equal([303, '/account/sign-in?notice=expired'])
    await other.signIn()
    expect((await other.post(PATH, form)).status).to.equal(422)
    expect([...other.cookies.keys()]).to.deep.equal([PENDING])
  })

  it('reads what is wrong with the code, and may use a recovery code', async () => {
    await browser.signIn()
    for (const [form, wrong] of [
      [{}, { totp: 4 }],
      [{ totp: '000000', recovery_code: 'a' }, { totp: 4 }],
      [{ totp: '12345' }, { totp: 5 }],
      [{ recovery_code: 'a' }, { recovery_code: 6 }],
    ] as const) {
      const { status, html } = await browser.post(PATH, form)
      expect([status, codesAtFields(html)]).to.deep.equal([422, wrong])
    }
    const [code = ''] = codes
    expect(leadsTo(await browser.post(PATH, { recovery_code: code }))).to.deep.equal([303, '/account'])
  })

  it('begins again after five minutes, and with a changed cookie', async () => {
    await browser.signIn()
    page.time.now += 301_000
    const late = await browser.post(PATH, { totp: page.code(secret) })
    expect(leadsTo(late)).to.deep.equal([303, '/account/sign-in?notice=expired'])
    expect(browser.cookies.size).to.equal(0)
  })

  it('goes on where the sign-in was to lead, also with a form of before that was sent already', async () => {
    await browser.signIn({ continue: '/account/password' })
    const form = { totp: page.code(secret), continue: hiddenIn(await browser.get(PATH), 'continue') }
    expect(form.continue).to.equal('/account/password')
    for (const once of ['a'.repeat(22), 'b'.repeat(22)])
      expect(leadsTo(await browser.post(PATH, { ...form, once }))).to.deep.equal([303, '/account/password'])
    expect(leadsTo(await browser.get(PATH))).to.deep.equal([303, '/account'])
  })

  it('begins again if the step was ended elsewhere', async () => {
    await browser.signIn()
    await page.service.setPassword({}, { user: page.eveId, password: 'another one' })()
    const ended = await browser.post(PATH, { totp: page.code(secret) })
    expect([ended.status, codeOfLink(ended.html), browser.cookies.size]).to.deep.equal([422, 8, 0])
  })

  it('gives one session to two equal forms', async () => {
    await browser.signIn()
    const cookie = `${PENDING}=${browser.cookies.get(PENDING)}`
    const once = 'x'.repeat(22)
    const form = { totp: page.code(secret), once }
    const send = () => page.post(PATH, form, { cookie, 'sec-fetch-site': 'same-origin' })
    const both = await Promise.all([send(), send()])
    expect(both.map(leadsTo)).to.deep.equal([
      [303, '/account'],
      [303, '/account'],
    ])
    expect(await page.data('UserSignedIn')).to.have.length(2) // with the one that enrolled the app
  })

  it('steps up with a code, because the password proves too little', async () => {
    await browser.signIn()
    await browser.post(PATH, { totp: page.code(secret) })
    const form = await browser.get('/account/step-up')
    expect(form.html).to.include('name="totp"').and.not.include('name="password"')
    const weak = await browser.post('/account/step-up', { password: EVE.password })
    expect([weak.status, codesAtFields(weak.html)]).to.deep.equal([422, { totp: 4 }])
    page.time.now += 60_000
    const strong = await browser.post('/account/step-up', { totp: page.code(secret) })
    expect(leadsTo(strong)).to.deep.equal([303, '/account'])
  })
})

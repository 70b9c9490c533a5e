import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { type BrowserDesk, browserDesk, leadsTo, onceIn } from './browser-desk.ts'
import { type MailingPages, startMailingPages } from './mailing-pages.ts'
import { codesAtFields } from './pages-service.ts'

const PATH = '/account/change-email'
const NEW = 'ada@lovelace.example'
const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }
const MAILBOX = '<h1>Look into your mailbox</h1>'

onMemory('the page to change the e-mail', (stores) => {
  let pages: MailingPages
  let browser: BrowserDesk
  let now: number
  const start = async (environment: Readonly<Record<string, string>> = {}) => {
    const lasting = await stores.lasting()
    now = Date.now()
    pages = await startMailingPages(
      { ...lasting.environment, ...environment },
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
    )
    browser = browserDesk(pages)
    await browser.signIn()
    return lasting.store
  }
  afterEach(() => pages.stop())

  const send = (form: Readonly<Record<string, string>>) => browser.post(PATH, form)
  const PASSWORD = () => ({ password: pages.ada.password })

  it('mails a link to the new address, which changes the e-mail, and this session stays', async () => {
    await start()
    const { status, html } = await send({ email: NEW, ...PASSWORD() })
    expect([status, html.includes(MAILBOX)]).to.deep.equal([200, true])
    expect(html).to.include(`Look into the mailbox of ${NEW}:`)
    const link = await pages.linkTo(NEW, 'email')
    expect((await browser.get('/account')).html).to.include(pages.ada.email)
    const [, token = ''] = /token=(\w+)/.exec(link) ?? []
    expect((await browser.get(link)).html)
      .to.include(NEW)
      .and.not.include('You are signed in as')
    expect((await browser.post('/account/email', { token })).html).to.include('is confirmed')
    expect((await browser.get('/account')).html)
      .to.include(NEW)
      .and.not.include('not confirmed yet')
    expect(pages.letters.filter(({ to }) => to === pages.ada.email).map(({ kind }) => kind)).to.include(
      'email_entered',
    )
  })

  for (const [what, form, codes] of [
    ['nothing', {}, { email: 7, password: 1 }],
    ['no password', { email: NEW }, { password: 1 }],
    ['a malformed e-mail and no password', { email: 'x' }, { email: 2, password: 1 }],
    ['a wrong password', { email: NEW, password: 'wrong' }, { password: 4 }],
    ['an address of another account', { email: EVE.email, password: 'correct horse battery' }, { email: 3 }],
  ] as const)
    it(`shows the codes of ${what}: ${JSON.stringify(codes)}`, async () => {
      await start()
      await succeed(pages.service.registerUser(CONTEXT, EVE, OPERATOR))
      const { status, html } = await send(form)
      expect([status, codesAtFields(html)]).to.deep.equal([422, codes])
      expect(html).to.include(
        `name="email" type="email" autocomplete="email" required value="${'email' in form ? form.email : ''}"`,
      )
      expect(html).to.match(/id="username"[^>]* autocomplete="username" readonly value="Ada@Example.com"/)
      expect(html).not.to.include('value="wrong"')
    })

  it('confirms the present address without a password, and offers it only until then', async () => {
    await start()
    expect((await browser.get('/account')).html).to.include('Confirm or change your e-mail address')
    expect((await browser.get(PATH)).html).to.include(`${pages.ada.email} is not confirmed yet.`)
    const { html } = await send({ step: 'confirm', email: NEW })
    expect(html).to.include(`Look into the mailbox of ${pages.ada.email}:`)
    const [, token = ''] = /token=(\w+)/.exec(await pages.linkTo(pages.ada.email, 'email')) ?? []
    await pages.post('/account/email', { token })
    expect(await pages.isVerified()).to.equal(true)
    expect((await browser.get(PATH)).html).not.to.include('is not confirmed yet')
    expect((await browser.get('/account')).html).not.to.include('Confirm or change')
  })

  it('asks for one mail with a form that arrives twice, and for a mail each with two forms', async () => {
    await start({ THROTTLE_MAILS: '2' })
    const form = { once: onceIn(await browser.get(PATH)), email: NEW, ...PASSWORD() }
    const [first, second] = await Promise.all([send(form), send(form)])
    expect([first.status, second.html]).to.deep.equal([200, first.html])
    const again = await send({ email: NEW, ...PASSWORD() })
    expect([again.status, again.html.includes(MAILBOX)]).to.deep.equal([200, true])
    const refused = await send({ email: NEW, ...PASSWORD() })
    expect([refused.status, refused.html.includes('<form')]).to.deep.equal([429, true])
  })

  it('asks a user with a second factor to confirm again who that is, once the session is not fresh', async () => {
    const store = await start()
    const { codeAt } = await enrolUser(store, pages.ada.id)
    await browser.signIn()
    await browser.post('/account/second-factor', { totp: codeAt(now) })
    expect((await browser.get(PATH)).html).to.include('name="password"')
    now += 11 * 60_000
    const shown = await browser.get(PATH)
    const stepUp = `/account/step-up?continue=${encodeURIComponent(PATH)}`
    expect(shown.html).to.include(`href="${stepUp}"`).and.not.include('name="password"')
    expect(leadsTo(await send({ email: NEW, ...PASSWORD() }))).to.deep.equal([303, stepUp])
    const onward = `${PATH}?continue=${encodeURIComponent('/account/security')}`
    const led = await send({ email: NEW, ...PASSWORD(), continue: '/account/security' })
    expect(leadsTo(led), 'the way back stays').to.deep.equal([
      303,
      `/account/step-up?continue=${encodeURIComponent(onward)}`,
    ])
    expect((await send({ step: 'confirm' })).html, 'the present address needs none').to.include(MAILBOX)
  })

  it('is led to sign in without a session, and changes nothing', async () => {
    await start()
    browser.cookies.clear()
    const encoded = encodeURIComponent(PATH)
    expect(leadsTo(await browser.get(PATH))).to.deep.equal([303, `/account/sign-in?continue=${encoded}`])
    expect(leadsTo(await send({ email: NEW, ...PASSWORD() }))).to.deep.equal([
      303,
      `/account/sign-in?continue=${encoded}&notice=expired`,
    ])
  })

  it('refuses a form that another site sends', async () => {
    await start()
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])
      expect((await browser.post(PATH, { email: NEW, ...PASSWORD() }, headers)).status).to.equal(403)
  })
})

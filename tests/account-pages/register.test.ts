import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type BrowserDesk, browserDesk, leadsTo } from './browser-desk.ts'
import { codesAtFields } from './pages-service.ts'
import { REGISTER, type RegisterDesk, startRegistering, tokenOf } from './register-desk.ts'

const EVE = 'eve@example.com'
const PASSWORD = 'correct horse battery'
const CHOSEN = { new_password: PASSWORD, new_password_check: PASSWORD }

describe('a person who registers on the pages', () => {
  let pages: RegisterDesk
  let browser: BrowserDesk
  beforeEach(async () => {
    pages = await startRegistering()
    browser = browserDesk(pages)
  })
  afterEach(() => pages.stop())

  it('registration on the page, known and unknown: same page; the known owner gets registration_known', async () => {
    const answers = [
      await browser.post(REGISTER, { email: EVE }),
      await browser.post(REGISTER, { email: 'ADA@example.com' }),
    ]
    expect(answers.map(leadsTo)).to.deep.equal([
      [303, `${REGISTER}?notice=mailed`],
      [303, `${REGISTER}?notice=mailed`],
    ])
    expect((await browser.get(`${REGISTER}?notice=mailed`)).html).to.include('Look into your mailbox')
    const kinds = await eventually('both mails', async () =>
      pages.mailer.received.length === 2
        ? pages.mailer.received.map(({ kind, to }) => `${kind} ${to}`)
        : undefined,
    )
    expect(new Set(kinds)).to.deep.equal(
      new Set([`registration ${EVE}`, `registration_known ${pages.ada.email}`]),
    )
    const known = pages.mailer.received.find(({ kind }) => kind === 'registration_known')
    expect(known?.text)
      .to.include('https://service.test/account/sign-in')
      .and.include('https://service.test/account/forgotten')
      .and.not.include('token')
  })

  it('reads code 1 or 2 without a well-formed e-mail, and no mail is written', async () => {
    for (const [email, code] of [
      ['', 1],
      ['eve', 2],
      ['eve@example.com, ada@example.com', 2],
      ['eve@example.com\r\nBcc: ada@example.com', 2],
      [`${'e'.repeat(250)}@example.com`, 2],
    ] as const) {
      const { status, html } = await browser.post(REGISTER, { email })
      expect([status, codesAtFields(html)], email).to.deep.equal([422, { email: code }])
    }
    await browser.post(REGISTER, { email: EVE }) // it is the only one that comes
    await pages.linkTo(EVE)
    expect(pages.mailer.received).to.have.lengthOf(1)
  })

  it('gets an account with a confirmed e-mail, and is signed in, with the link and a password', async () => {
    await browser.post(REGISTER, { email: EVE })
    const link = await pages.linkTo(EVE)
    const { status, html } = await browser.get(link)
    expect(status).to.equal(200)
    expect(html).to.match(
      /<input id="email"[^>]* autocomplete="username"[^>]* readonly[^>]* value="eve@example.com"/,
    )
    expect(html.match(/autocomplete="new-password"/g)).to.have.length(2)
    expect(leadsTo(await browser.post(REGISTER, { token: tokenOf(link), ...CHOSEN }))).to.deep.equal([
      303,
      '/account',
    ])
    const home = await browser.get('/account')
    expect(home.html).to.include(EVE).and.include('E-mail address confirmed').and.include('This device')
    expect(
      leadsTo(await browserDesk({ ...pages, ada: { id: '', email: EVE, password: PASSWORD } }).signIn()),
    ).to.deep.equal([303, '/account'])
  })

  it('finds the link unused after 20 GET and HEAD', async () => {
    const link = pages.newLink(EVE)
    for (let each = 0; each < 20; each += 1) {
      expect((await pages.get(link)).status).to.equal(200)
      expect((await pages.send('HEAD', link)).status).to.equal(200)
    }
    expect((await browser.post(REGISTER, { token: tokenOf(link), ...CHOSEN })).status).to.equal(303)
    expect((await browser.get('/account')).status).to.equal(200)
  })

  it('may use the link on another device, in another language, and goes on where the first page came from', async () => {
    const next = '/account/password'
    const asked = await browser.post(REGISTER, { email: EVE, continue: next, ui_locales: 'de' })
    expect(leadsTo(asked)).to.deep.equal([
      303,
      `${REGISTER}?notice=mailed&continue=%2Faccount%2Fpassword&ui_locales=de`,
    ])
    const link = await pages.linkTo(EVE)
    const phone = browserDesk(pages)
    const shown = await phone.get(link, { 'accept-language': 'en' })
    expect(shown.html).to.include('<html lang="de">').and.include('name="continue" value="/account/password"')
    const [, english = ''] = /<a href="([^"]*)" lang="en"/.exec(shown.html) ?? []
    expect((await phone.get(english.replaceAll('&amp;', '&'))).html)
      .to.include('<html lang="en">')
      .and.include(`value="${tokenOf(link)}"`)
    const form = { token: tokenOf(link), continue: next, ui_locales: 'de', ...CHOSEN }
    expect(leadsTo(await phone.post(REGISTER, form))).to.deep.equal([303, `${next}?ui_locales=de`])
    expect((await phone.get('/account')).html, 'the account keeps the language').to.include('Ihr Konto')
  })

  for (const [form, codes] of [
    [{}, { new_password: 2, new_password_check: 3 }],
    [{ new_password: 'a', new_password_check: 'b' }, { new_password_check: 5 }],
  ] as const)
    it(`reads what is wrong with ${JSON.stringify(form)}, and can send the form again`, async () => {
      const token = tokenOf(pages.newLink(EVE))
      const { status, html } = await browser.post(REGISTER, { token, ...form })
      expect([status, codesAtFields(html)]).to.deep.equal([422, codes])
      expect(html).to.include(`value="${token}"`).and.include(`value="${EVE}"`)
      expect((await browser.post(REGISTER, { token, ...CHOSEN })).status).to.equal(303)
    })

  it('reads of a link that cannot be used, and how to get another one', async () => {
    const token = tokenOf(pages.newLink(EVE))
    for (const [sent, code] of [
      ['', 1],
      ['x', 4],
      [`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, 4],
      [await pages.recoveryToken(), 4],
    ] as const) {
      expect((await browser.get(`${REGISTER}?token=${sent}`)).html).to.include('This link cannot be used')
      const { status, html } = await browser.post(REGISTER, { token: sent, ...CHOSEN })
      expect(status).to.equal(422)
      expect(html).to.include(`data-code="${code}"`).and.include('href="/account/register"')
    }
  })

  it('is led to sign in by a link that was used, also after the account is removed', async () => {
    const link = pages.newLink(EVE)
    const used = [303, '/account/sign-in?notice=already_done']
    await browser.post(REGISTER, { token: tokenOf(link), ...CHOSEN })
    const other = browserDesk(pages)
    const tries = async () => [
      leadsTo(await other.get(`${REGISTER}?token=${tokenOf(link)}`)),
      leadsTo(await other.post(REGISTER, { token: tokenOf(link) })),
      leadsTo(
        await other.post(REGISTER, { token: tokenOf(link), new_password: 'x', new_password_check: 'x' }),
      ),
    ]
    expect(await tries()).to.deep.equal([used, used, used])
    expect((await other.get('/account/sign-in?notice=already_done')).html).to.include(
      'This was done already. Sign in.',
    )
    await succeed(pages.service.removeUser(CONTEXT, EVE))
    expect(await tries()).to.deep.equal([used, used, used])
  })

  it('who has another link for the same e-mail is led to sign in by it', async () => {
    const [first, second] = [pages.newLink(EVE), pages.newLink(EVE)]
    await browser.post(REGISTER, { token: tokenOf(first), ...CHOSEN })
    expect(leadsTo(await pages.get(second))[0]).to.equal(303)
  })

  it('stays signed in with another account, and reads both', async () => {
    await browser.signIn()
    const link = pages.newLink(EVE)
    const { html } = await browser.get(link)
    expect(html).to.include(`You are signed in as ${pages.ada.email}`).and.include(`value="${EVE}"`)
    expect(leadsTo(await browser.post(REGISTER, { token: tokenOf(link), ...CHOSEN }))).to.deep.equal([
      303,
      '/account?notice=other_registered',
    ])
    const home = await browser.get('/account?notice=other_registered')
    expect(home.html).to.include(pages.ada.email).and.include('The new account is ready.')
  })

  it('finds the way from the page to sign in and back, with the place to go on', async () => {
    const query = 'continue=%2Faccount%2Fpassword&ui_locales=de'
    const signIn = await browser.get(`/account/sign-in?${query}`)
    expect(signIn.html).to.include(`href="${REGISTER}?${query.replace('&', '&amp;')}"`)
    const register = await browser.get(`${REGISTER}?${query}`)
    expect(register.html).to.include(`href="/account/sign-in?${query.replace('&', '&amp;')}"`)
  })
})

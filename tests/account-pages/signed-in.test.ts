import { expect } from 'chai'
import { type BrowserDesk, browserDesk, leadsTo, onceIn } from './browser-desk.ts'
import { codesAtFields, type PagesService, startPages } from './pages-service.ts'

const SESSION = '__Host-portcullis'

describe('a person who signs in on the pages', () => {
  let pages: PagesService
  let browser: BrowserDesk
  beforeEach(async () => {
    pages = await startPages()
    browser = browserDesk(pages)
  })
  afterEach(() => pages.stop())

  it('gets a cookie of this origin alone, which lives as long as the session, and goes on', async () => {
    expect(leadsTo(await browser.signIn())).to.deep.equal([303, '/account'])
    const [line = ''] = browser.received
    expect(line).to.match(
      /^__Host-portcullis=[\w-]{80,200}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    )
    const home = await browser.get('/account')
    expect(home.status).to.equal(200)
    expect(home.html).to.include('Ada@Example.com').and.include('This device')
  })

  for (const [form, codes] of [
    [
      { email: '', password: '' },
      { email: 1, password: 2 },
    ],
    [{ password: '' }, { password: 2 }],
    [{ password: 'wrong' }, { email: 3, password: 3 }],
    [{ email: 'unknown@example.com' }, { email: 3, password: 3 }],
  ] as const)
    it(`reads what is wrong with ${JSON.stringify(form)}, with the e-mail kept`, async () => {
      const { status, html } = await browser.signIn(form)
      expect([status, codesAtFields(html)]).to.deep.equal([422, codes])
      expect(html).to.include(`value="${'email' in form ? form.email : pages.ada.email}"`)
      expect(browser.cookies.size).to.equal(0)
    })

  it('reads the same about an unknown, a disabled and a wrong account', async () => {
    await pages.service.disableUser({}, pages.ada.id)()
    const plain = (html: string) => html.replace(/ (?:value|data-options)="[^"]*"/g, '')
    const answers = await Promise.all([
      browser.signIn(),
      browser.signIn({ email: 'unknown@example.com' }),
      browser.signIn({ password: 'wrong' }),
    ])
    expect(new Set(answers.map(({ html }) => plain(html))).size).to.equal(1)
  })

  it('has another cookie after each sign-in, and one session', async () => {
    await browser.signIn()
    const first = browser.cookies.get(SESSION)
    await browser.signIn()
    expect(browser.cookies.get(SESSION)).not.to.equal(first)
    expect((await browser.get('/account')).html.match(/<h3 id="session-/g)).to.have.length(1)
    expect(leadsTo(await pages.get('/account', { cookie: `${SESSION}=${first}` }))).to.deep.equal([
      303,
      '/account/sign-in',
    ])
  })

  it('keeps no cookie that names no session, and is not locked out by it', async () => {
    browser.cookies.set(SESSION, 'stale')
    const signIn = await browser.get('/account/sign-in')
    expect([signIn.status, browser.cookies.size]).to.deep.equal([200, 0])
    await browser.signIn()
    expect((await browser.get('/account')).status).to.equal(200)
  })

  it('is asked before the session of another account ends, and nothing is checked until then', async () => {
    await browser.signIn()
    const first = browser.cookies.get(SESSION)
    const asked = await browser.signIn({ email: 'eve@example.com', password: 'wrong' })
    expect(asked.status).to.equal(422)
    expect(asked.html)
      .to.include('You are signed in as Ada@Example.com')
      .and.include('value="eve@example.com"')
    const replaces = /name="replaces" value="([^"]*)"/.exec(asked.html)?.[1] ?? ''
    const tried = await browser.signIn({ email: 'eve@example.com', password: 'wrong', replaces })
    expect(codesAtFields(tried.html)).to.deep.equal({ email: 3, password: 3 })
    expect(browser.cookies.get(SESSION)).to.equal(first)
  })

  it('ends the session of this browser by a form, not by a link', async () => {
    await browser.signIn()
    expect((await browser.get('/account/sign-out')).html).to.include('You are signed in as Ada@Example.com.')
    expect((await browser.get('/account')).status).to.equal(200)
    const cookie = `${SESSION}=${browser.cookies.get(SESSION)}`
    const out = await browser.post('/account/sign-out', {})
    expect(leadsTo(out)).to.deep.equal([303, '/account/sign-in?notice=signed_out'])
    expect(out.headers['clear-site-data']).to.equal('"cache"')
    expect(browser.cookies.size).to.equal(0)
    expect(leadsTo(await pages.get('/account', { cookie }))).to.deep.equal([303, '/account/sign-in'])
    expect(leadsTo(await browser.post('/account/sign-out', {}))).to.deep.equal(leadsTo(out))
  })

  it('ends another session, twice without a complaint, and all others', async () => {
    const [other, third] = [browserDesk(pages), browserDesk(pages)]
    await Promise.all([browser.signIn(), other.signIn(), third.signIn()])
    const home = (await browser.get('/account')).html
    const id = /name="session_id" value="([^"]*)"/.exec(home)?.[1] ?? ''
    const end = () => browser.post('/account', { step: 'end_session', session_id: id })
    expect([leadsTo(await end()), leadsTo(await end())]).to.deep.equal([
      [303, '/account?notice=session_ended'],
      [303, '/account?notice=session_ended'],
    ])
    expect(leadsTo(await browser.post('/account', { step: 'end_others' }))).to.deep.equal([
      303,
      '/account?notice=others_ended',
    ])
    expect((await browser.get('/account')).html.match(/<h3 id="session-/g)).to.have.length(1)
    for (const ended of [other, third]) expect((await ended.get('/account')).status).to.equal(303)
  })

  it('chooses the language of the account, which no link changes', async () => {
    await browser.signIn()
    const german = await browser.get('/account?ui_locales=de')
    expect(german.html).to.include('<option value="de" lang="de" selected>Deutsch</option>')
    expect((await browser.get('/account')).html).to.include('Your account')
    const chosen = { step: 'language', language: 'de' }
    expect(leadsTo(await browser.post('/account', { ...chosen, ui_locales: 'en' }))).to.deep.equal([
      303,
      '/account?notice=language_saved',
    ])
    expect((await browser.get('/account?notice=language_saved')).html)
      .to.include('<html lang="de">')
      .and.include('Die Sprache wurde gespeichert.')
    await browser.post('/account', { ...chosen, language: 'tlh' })
    expect((await browser.get('/account')).html).to.include('<html lang="de">')
  })

  it('changes the password: all other sessions end, and this one lives', async () => {
    const other = browserDesk(pages)
    await Promise.all([browser.signIn(), other.signIn()])
    const form = await browser.get('/account/password')
    expect(form.html).to.match(
      /autocomplete="username"[^>]* value="Ada@Example.com"[^>]* readonly|readonly[^>]* value="Ada@Example.com"/,
    )
    const fields = {
      old_password: pages.ada.password,
      new_password: 'new one',
      new_password_check: 'new one',
    }
    expect(leadsTo(await browser.post('/account/password', fields))).to.deep.equal([
      303,
      '/account?notice=password_changed',
    ])
    expect([await pages.accepts('new one'), await pages.accepts(pages.ada.password)]).to.deep.equal([
      true,
      false,
    ])
    expect((await browser.get('/account')).status).to.equal(200)
    expect((await other.get('/account')).status).to.equal(303)
  })

  it('reads the codes of the API on the page of the password', async () => {
    await browser.signIn()
    for (const [fields, codes] of [
      [{}, { old_password: 1, new_password: 2, new_password_check: 3 }],
      [
        { old_password: 'no', new_password: 'a', new_password_check: 'b' },
        { old_password: 4, new_password_check: 5 },
      ],
    ] as const) {
      const { status, html } = await browser.post('/account/password', fields)
      expect([status, codesAtFields(html)]).to.deep.equal([422, codes])
    }
  })

  it('confirms again who it is, and goes on where the page came from', async () => {
    await browser.signIn()
    const more = { continue: '/account/security' }
    const wrong = await browser.post('/account/step-up', { ...more, password: 'wrong' })
    expect([wrong.status, codesAtFields(wrong.html)]).to.deep.equal([422, { password: 2 }])
    expect(wrong.html).to.include('name="continue" value="/account/security"')
    const right = await browser.post('/account/step-up', { ...more, password: pages.ada.password })
    expect(leadsTo(right)).to.deep.equal([303, '/account/security'])
  })

  for (const path of ['/account/password', '/account/security', '/account/step-up'])
    it(`is led to sign in from ${path}, and back`, async () => {
      const encoded = encodeURIComponent(path)
      expect(leadsTo(await browser.get(path))).to.deep.equal([303, `/account/sign-in?continue=${encoded}`])
      const late = await browser.post(path, { old_password: 'secret' })
      expect(leadsTo(late)).to.deep.equal([303, `/account/sign-in?continue=${encoded}&notice=expired`])
      expect((await browser.get(`/account/sign-in?continue=${encoded}&notice=expired`)).html).to.include(
        'Nothing was changed.',
      )
      expect(leadsTo(await browser.signIn({ continue: path }))).to.deep.equal([303, path])
    })
})

describe('a person who must sign in before a page that leads on', () => {
  let pages: PagesService
  before(async () => {
    pages = await startPages()
  })
  after(() => pages.stop())

  for (const [path, continued] of [
    ['/account/step-up?continue=/account/security', '/account/security'],
    ['/account/step-up?continue=//evil.example', '/account/step-up'],
    ['/account/password?continue=/account/security', '/account/password?continue=%2Faccount%2Fsecurity'],
    ['/account/password?continue=/account', '/account/password'],
  ] as const)
    it(`goes on to ${continued} from ${path}, also after a form of before`, async () => {
      const to = `/account/sign-in?continue=${encodeURIComponent(continued)}`
      const browser = browserDesk(pages)
      expect(leadsTo(await browser.get(path))).to.deep.equal([303, to])
      const [page = '', parameter = ''] = path.split('?continue=')
      const late = await browser.post(page, { continue: parameter })
      expect(leadsTo(late)).to.deep.equal([303, `${to}&notice=expired`])
      expect(leadsTo(await browser.signIn({ continue: continued }))).to.deep.equal([303, continued])
    })
})

describe('a form of the pages that arrives twice', () => {
  let pages: PagesService
  let browser: BrowserDesk
  beforeEach(async () => {
    pages = await startPages()
    browser = browserDesk(pages)
  })
  afterEach(() => pages.stop())

  it('gives one session to two equal sign-ins, also at once', async () => {
    const form = await browser.get('/account/sign-in')
    const more = { once: onceIn(form) }
    expect(more.once).to.match(/^[\w-]{22}$/)
    const answers = await Promise.all([browser.signIn(more), browser.signIn(more), browser.signIn(more)])
    expect(new Set(answers.map(({ headers }) => headers['set-cookie']?.[0])).size).to.equal(1)
    expect((await browser.get('/account')).html.match(/<h3 id="session-/g)).to.have.length(1)
  })

  it('changes the password once, and says twice that it was changed', async () => {
    await browser.signIn()
    const once = onceIn(await browser.get('/account/password'))
    const fields = { once, old_password: pages.ada.password, new_password: 'new', new_password_check: 'new' }
    const both = [
      await browser.post('/account/password', fields),
      await browser.post('/account/password', fields),
    ]
    expect(both.map(leadsTo)).to.deep.equal([
      [303, '/account?notice=password_changed'],
      [303, '/account?notice=password_changed'],
    ])
  })

  it('is judged anew with another field', async () => {
    const once = onceIn(await browser.get('/account/sign-in'))
    expect((await browser.signIn({ once, password: 'wrong' })).status).to.equal(422)
    expect((await browser.signIn({ once })).status).to.equal(303)
  })
})

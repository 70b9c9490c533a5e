import { expect } from 'chai'
import { type BrowserDesk, browserDesk, leadsTo, onceIn, SAME_ORIGIN } from './browser-desk.ts'
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

  for (const path of ['/account/password', '/account/step-up'])
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

describe('what protects the forms of the pages', () => {
  let pages: PagesService
  before(async () => {
    pages = await startPages()
  })
  after(() => pages.stop())

  const OURS = 'https://service.test'
  const HEADERS: ReadonlyArray<readonly [headers: Readonly<Record<string, string>>, isAccepted: boolean]> = [
    [SAME_ORIGIN, true],
    [{ ...SAME_ORIGIN, origin: OURS }, true],
    [{ origin: OURS }, true],
    [{}, false],
    [{ origin: 'null' }, false],
    [{ origin: 'https://service.test.evil.example' }, false],
    [{ origin: 'http://service.test' }, false],
    [{ ...SAME_ORIGIN, origin: 'https://evil.example' }, false],
    [{ ...SAME_ORIGIN, origin: 'null' }, false],
    ...['none', 'same-site', 'cross-site', 'Same-Origin', ''].map(
      (site) => [{ 'sec-fetch-site': site, origin: OURS }, false] as const,
    ),
  ]
  for (const [headers, isAccepted] of HEADERS)
    it(`${isAccepted ? 'accepts' : 'refuses'} ${JSON.stringify(headers)} on each`, async () => {
      const { email, password } = pages.ada
      const { status } = await pages.post('/account/sign-in', { email, password }, headers)
      expect(status).to.equal(isAccepted ? 303 : 403)
      for (const path of ['/account', '/account/password', '/account/step-up', '/account/second-factor'])
        expect((await pages.post(path, {}, headers)).status, path).to.equal(isAccepted ? 303 : 403)
      expect((await pages.post('/account/sign-out', {}, headers)).status).to.equal(isAccepted ? 303 : 403)
    })

  for (const continued of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/account',
    'https://service.test/account',
    '/account/../../evil',
    '/account/./password',
    '/account//evil',
    '/account/%2f/evil',
    '/account\t/evil',
    '/account\r\nLocation: https://evil.example',
    '/accounts',
    '/account@evil.example',
    '/oauth2/token',
    '/account#x',
    'javascript:alert(1)',
    `/account/${'a'.repeat(3_000)}`,
    '',
  ])
    it(`leads to the account instead of ${JSON.stringify(continued.slice(0, 40))}`, async () => {
      const answer = await browserDesk(pages).signIn({ continue: continued })
      expect(leadsTo(answer)).to.deep.equal([303, '/account'])
    })

  it('leads back to the authorization without a redirect, which form-action would block', async () => {
    const next = '/oauth2/authorize?client_id=x&redirect_uri=https%3A%2F%2Fshop.example'
    const { status, headers, html } = await browserDesk(pages).signIn({ continue: next })
    expect([status, headers.refresh, headers.location]).to.deep.equal([200, `0; url=${next}`, undefined])
    expect(html).to.include(`<a href="${next.replaceAll('&', '&amp;')}">`)
  })

  it('lets neither a token be a cookie, nor a cookie a token', async () => {
    const browser = browserDesk(pages)
    await browser.signIn()
    const cookie = browser.cookies.get(SESSION)
    const profile = await pages.get('/api/v1/profile', { authorization: `Bearer ${cookie}` })
    expect(profile.status).to.equal(401)
    const alone = await pages.get('/api/v1/profile', { cookie: `${SESSION}=${cookie}` })
    expect(alone.status).to.equal(401)
    expect((await pages.get('/account', { authorization: `Bearer ${cookie}` })).status).to.equal(303)
    const twice = `${SESSION}=${cookie}; ${SESSION}=${cookie}`
    expect((await pages.get('/account', { cookie: twice })).status).to.equal(303)
  })

  it('closes every page that needs a session or makes one, once the application of the pages is revoked', async () => {
    const own = await startPages()
    const browser = browserDesk(own)
    try {
      await browser.signIn()
      await own.service.revokeApplication({}, 'Account pages')()
      expect((await browser.get('/account')).status).to.equal(503)
      expect((await browser.get('/account/sign-in')).status).to.equal(503)
      expect((await browser.signIn()).status).to.equal(503)
      await own.service.createAccountPages({})()
      expect((await browser.signIn()).status).to.equal(303)
      expect((await browser.get('/account')).status).to.equal(200)
    } finally {
      await own.stop()
    }
  })
})

describe('the language of the pages', () => {
  let pages: PagesService
  before(async () => {
    pages = await startPages()
  })
  after(() => pages.stop())

  for (const [path, header, language, heading] of [
    ['/account/sign-in', undefined, 'en', 'Sign in'],
    ['/account/sign-in', 'de-AT,en;q=0.9', 'de', 'Anmelden'],
    ['/account/sign-in', 'de;q=0,en', 'en', 'Sign in'],
    ['/account/sign-in', 'fr,*', 'en', 'Sign in'],
    ['/account/sign-in', 'en;q=0.1,de;q=0.2', 'de', 'Anmelden'],
    ['/account/sign-in?ui_locales=de', 'en', 'de', 'Anmelden'],
    ['/account/sign-in?ui_locales=fr%20de', 'en', 'de', 'Anmelden'],
    ['/account/sign-in?ui_locales=../x', 'de', 'de', 'Anmelden'],
  ] as const)
    it(`is ${language} for ${path} and ${header}`, async () => {
      const { headers, html } = await pages.get(
        path,
        header === undefined ? {} : { 'accept-language': header },
      )
      expect(html).to.include(`<html lang="${language}">`).and.include(`<h1>${heading}</h1>`)
      expect(headers['content-language']).to.equal(language)
      expect(headers.vary).to.equal('Accept-Language, Cookie')
    })

  it('goes on after the sign-in, and is kept with the account if that has none', async () => {
    const browser = browserDesk(pages)
    expect(leadsTo(await browser.signIn({ ui_locales: 'de' }))).to.deep.equal([303, '/account?ui_locales=de'])
    const other = browserDesk(pages)
    await other.signIn()
    expect((await other.get('/account')).html).to.include('<h1>Ihr Konto</h1>')
    await other.signIn({ ui_locales: 'en' })
    expect((await other.get('/account')).html, 'the account has one').to.include('<h1>Ihr Konto</h1>')
  })

  it('stays in links and forms once it is chosen', async () => {
    const browser = browserDesk(pages)
    const { html } = await browser.get('/account/sign-in?ui_locales=de')
    expect(html).to.include('name="ui_locales" value="de"').and.include('>English</a>')
    const signedIn = await browser.signIn({ ui_locales: 'de', password: 'wrong' })
    expect(signedIn.html).to.include('E-Mail-Adresse und Passwort passen nicht zusammen.')
    const led = await browser.post('/account/password', { ui_locales: 'de' })
    expect(led.headers.location).to.include('ui_locales=de')
  })
})

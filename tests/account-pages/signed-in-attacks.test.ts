import { expect } from 'chai'
import { browserDesk, leadsTo, SAME_ORIGIN } from './browser-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

const SESSION = '__Host-portcullis'

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
      for (const path of [
        '/account',
        '/account/password',
        '/account/security',
        '/account/step-up',
        '/account/second-factor',
      ])
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
    '/%2f/evil.example',
    '/account/..%2fevil',
    '/account/..',
    '/oauth2/authorize/../token',
    'https://user@service.test/account',
    'https://service.test:8443/account',
    '/account;evil',
    '/account"x',
    '/account<x',
    ' /account/password',
    '/account/päth',
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

  it('takes no cookie for its own whose name only looks like it', async () => {
    const browser = browserDesk(pages)
    await browser.signIn()
    const own = `${SESSION}=${browser.cookies.get(SESSION)}`
    expect((await pages.get('/account', { cookie: `other=1;\t ${own} ` })).status).to.equal(200)
    for (const before of ['\u00a0', '\u0085', 'x', '%5F'])
      expect((await pages.get('/account', { cookie: `${before}${own}` })).status, before).to.equal(303)
    const tossed = `${own}; \u00a0${SESSION}=another`
    expect((await pages.get('/account', { cookie: tossed })).status, 'it hides no own one').to.equal(200)
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
    ['/account/sign-in?ui_locales=', 'de', 'de', 'Anmelden'],
    ['/account/sign-in?ui_locales=DE-at', 'en', 'de', 'Anmelden'],
    ['/account/sign-in?ui_locales=fr', 'de', 'de', 'Anmelden'],
    [`/account/sign-in?ui_locales=${'fr%20'.repeat(66)}de`, 'en', 'de', 'Anmelden'],
    [`/account/sign-in?ui_locales=${'fr%20'.repeat(67)}de`, 'en', 'en', 'Sign in'],
    ['/account/sign-in', `${'fr,'.repeat(66)}de`, 'de', 'Anmelden'],
    ['/account/sign-in', `${'fr,'.repeat(67)}de`, 'en', 'Sign in'],
    ['/account/sign-in', 'de;q=2', 'en', 'Sign in'],
    ['/account/sign-in', '*;q=0.5,de;q=0.000', 'en', 'Sign in'],
  ] as const)
    it(`is ${language} for ${path.slice(0, 50)} and ${header?.slice(0, 30)}`, async () => {
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

  for (const choice of ['', 'fr', '../x', 'fr zz'])
    it(`is not kept with the account after ${JSON.stringify(choice)}, which chooses none`, async () => {
      const own = await startPages()
      try {
        const browser = browserDesk(own)
        expect(leadsTo(await browser.signIn({ ui_locales: choice }))).to.deep.equal([303, '/account'])
        const home = await browser.get('/account', { 'accept-language': 'de' })
        expect(home.html).to.include('<h1>Ihr Konto</h1>')
      } finally {
        await own.stop()
      }
    })

  it('is not kept with the account by a link', async () => {
    const own = await startPages()
    try {
      const browser = browserDesk(own)
      await browser.signIn()
      for (const path of ['/account', '/account/password', '/account/sign-in'])
        await browser.get(`${path}?ui_locales=de`)
      expect((await browser.get('/account')).html).to.include('<h1>Your account</h1>')
    } finally {
      await own.stop()
    }
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

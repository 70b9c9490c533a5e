import { expect } from 'chai'
import { hiddenIn, leadsTo } from './browser-desk.ts'
import {
  CALLBACK,
  codesIn,
  cookiesAtProviders,
  EVE_THERE,
  type IdentityPlace,
  providerUrl,
  SIGN_IN,
  startIdentityPlace,
} from './identities-desk.ts'
import { EVE, type SecurityDesk } from './security-service.ts'
import { expectStrictPage } from './strict-page.ts'

const SESSION = '__Host-portcullis'
const SILENT = 'The other provider does not answer'

describe('a person who signs in at an identity provider', () => {
  let place: IdentityPlace
  let browser: SecurityDesk
  beforeEach(async () => {
    place = await startIdentityPlace()
    browser = place.page.desk()
  })
  afterEach(() => place.stop())

  const refusals = () => place.page.data('IdentityRefused')

  it('has a button for each provider, in the own language', async () => {
    for (const [language, button] of [
      ['en', 'Sign in with Google'],
      ['de', 'Mit Google anmelden'],
    ] as const) {
      const { html } = await browser.get(`${SIGN_IN}?ui_locales=${language}&continue=/account/security`)
      expect(html).to.include(`>${button}</button>`).and.include('name="provider" value="github"')
      expect(html).to.include('name="continue" value="/account/security"')
    }
  })

  it('is led there by a page, and the browser keeps one sealed cookie', async () => {
    const started = await place.start(browser, { login_hint: 'eve@example.com' })
    const url = new URL(providerUrl(started))
    expect([started.status, url.origin]).to.deep.equal([200, place.google.issuer])
    const { 'set-cookie': _, ...headers } = started.headers
    expectStrictPage({ ...started, headers }, 'same-origin')
    expect(Object.fromEntries(url.searchParams)).to.include({
      redirect_uri: `https://service.test${CALLBACK}`,
      login_hint: 'eve@example.com',
    })
    expect(url.searchParams.get('prompt')).to.equal(null)
    expect(browser.received).to.have.length(1)
    expect(browser.received[0]).to.match(
      /^__Host-portcullis-idp-[0-9a-f]{16}=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    expect(browser.received[0]).not.to.include(url.searchParams.get('state'))
  })

  it('is signed in with the language and the way of the start, and links the identity the first time', async () => {
    const form = { continue: '/account/password', ui_locales: 'de' }
    for (const linked of [1, 1]) {
      const other = place.page.desk()
      const done = await place.signIn(other, EVE_THERE, form)
      expect(leadsTo(done)).to.deep.equal([303, '/account/password?ui_locales=de'])
      expect([...other.cookies.keys()]).to.deep.equal([SESSION])
      expect((await other.get('/account')).html).to.include(EVE.email)
      expect(await place.page.data('FactorEnrolled')).to.have.length(linked)
    }
  })

  it('is signed in by GitHub, too, which has no ID tokens', async () => {
    const started = await place.start(browser, { provider: 'github' })
    const answer = await place.github.signIn(providerUrl(started), EVE_THERE)
    expect(leadsTo(await browser.get(`/account/identity/github${answer}`))).to.deep.equal([303, '/account'])
    expect((await browser.get('/account')).html).to.include(EVE.email)
  })

  for (const wrong of ['https://evil.example/', '//evil.example', '/account/../evil', '/evil'])
    it(`is never led to ${wrong}`, async () => {
      const query = `&continue=${encodeURIComponent(wrong)}`
      const started = await place.start(browser, { continue: wrong })
      const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
      expect(leadsTo(await browser.get(CALLBACK + answer + query))[1]).to.not.include('evil')
    })

  it('is not signed in in another browser, and no provider is asked', async () => {
    const started = await place.start(browser)
    const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
    const before = place.google.requests.length
    const other = place.page.desk()
    for (const query of [answer, '', '?state=a&code=b', '?error=access_denied']) {
      const shown = await other.get(CALLBACK + query)
      expect([shown.status, codesIn(shown)]).to.deep.equal([200, [3]])
      expect(shown.html)
        .to.include('It was started in another browser')
        .and.include('href="/account/sign-in"')
      expectStrictPage(shown, 'same-origin')
    }
    expect(place.google.requests.length).to.equal(before)
    expect(await refusals()).to.deep.equal([])
    expect((await browser.get(CALLBACK + answer)).status).to.equal(303)
  })

  it('is not signed in after ten minutes, or at the page of another provider', async () => {
    const late = await place.start(browser)
    place.page.time.now += 601_000
    expect(codesIn(await place.comeBack(browser, late))).to.deep.equal([3])
    const mixed = await place.start(browser)
    const answer = await place.google.signIn(providerUrl(mixed), EVE_THERE)
    expect(codesIn(await browser.get(`/account/identity/github${answer}`))).to.deep.equal([3])
    expect(codesIn(await browser.get(CALLBACK + answer))).to.deep.equal([3])
    expect([await refusals(), browser.cookies.has(SESSION)]).to.deep.equal([[], false])
  })

  it('goes on after a reload, and a HEAD request completes nothing', async () => {
    const started = await place.start(browser)
    const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
    await place.page.send('HEAD', CALLBACK + answer)
    expect(leadsTo(await browser.get(CALLBACK + answer))).to.deep.equal([303, '/account'])
    expect(leadsTo(await browser.get(CALLBACK + answer))).to.deep.equal([303, '/account'])
    expect(await place.page.data('UserSignedIn')).to.have.length(1)
  })

  it('has one session after two reloads at once, of which the second one leads to the sign-in', async () => {
    const started = await place.start(browser)
    const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
    const both = await Promise.all([browser.get(CALLBACK + answer), browser.get(CALLBACK + answer)])
    expect(both.map(({ headers }) => headers.location)).to.have.members([
      '/account',
      '/account/sign-in?notice=identity_refused',
    ])
    expect(await place.page.data('UserSignedIn')).to.have.length(1)
    expect((await browser.get('/account')).html).to.include(EVE.email)
    const told = await browser.get(`${SIGN_IN}?notice=identity_refused`)
    expect(told.html).to.include(`Stay signed in as ${EVE.email}`)
  })

  it('reads in the own language that the answer is refused, and never the words of the provider', async () => {
    for (const [language, text] of [
      ['en', 'The sign-in at the provider did not succeed.'],
      ['de', 'Die Anmeldung bei dem Anbieter ist nicht gelungen.'],
    ] as const) {
      const started = await place.start(browser, { ui_locales: language, continue: '/account/password' })
      const answer = await place.google.refuse(providerUrl(started), 'access_denied')
      const refused = await browser.get(CALLBACK + answer)
      expect(refused.headers.location).to.include('continue=%2Faccount%2Fpassword')
      const shown = await browser.get(String(refused.headers.location))
      expect(codesIn(shown)).to.deep.equal([4])
      expect(shown.html).to.include(text).and.not.include('access_denied')
    }
    expect((await refusals()).map(({ reason }) => reason)).to.deep.equal(['access_denied', 'access_denied'])
    expect(cookiesAtProviders(browser)).to.deep.equal([])
  })

  for (const [why, person, code, prepare] of [
    ['no verified e-mail', { ...EVE_THERE, isVerified: false }, 5, undefined],
    ['an e-mail that is not verified here', { id: 8, email: 'ada@example.com' }, 6, undefined],
    ['a disabled user', EVE_THERE, 7, 'disable'],
    ['an e-mail that no user has', { id: 9, email: 'new@example.com' }, 11, undefined],
  ] as const)
    it(`reads the code ${code} for ${why}`, async () => {
      if (prepare === 'disable') await place.page.service.disableUser({}, EVE.email)()
      const refused = await place.signIn(browser, person)
      const shown = await browser.get(String(refused.headers.location))
      expect([refused.status, shown.status, codesIn(shown)]).to.deep.equal([303, 200, [code]])
      expect(browser.cookies.has(SESSION)).to.equal(false)
    })

  it('gives a second factor afterwards', async () => {
    await place.signIn(browser)
    const { secret } = await browser.enrol()
    place.page.time.now += 60_000
    const other = place.page.desk()
    const first = await place.signIn(other, EVE_THERE, { continue: '/account/password' })
    expect(leadsTo(first)).to.deep.equal([303, '/account/second-factor'])
    expect([...other.cookies.keys()]).to.deep.equal(['__Host-portcullis-2nd'])
    const done = await other.post('/account/second-factor', { totp: place.page.code(secret) })
    expect(leadsTo(done)).to.deep.equal([303, '/account/password'])
  })

  it('may be at several providers at once, and the browser keeps the newest five cookies', async () => {
    const started = []
    for (let tab = 0; tab < 7; tab += 1) {
      started.push(await place.start(browser, { continue: `/account/password?tab=${tab}` }))
      place.page.time.now += 1_000
    }
    expect(cookiesAtProviders(browser)).to.have.length(5)
    const codes = []
    for (const one of started) {
      const { cookies } = browser
      cookies.delete(SESSION) // with it, an ended start leads to the account
      codes.push(codesIn(await place.comeBack(browser, one)))
    }
    expect(codes).to.deep.equal([[3], [3], [], [], [], [], []])
  })

  it('keeps fewer cookies that are long, so that the server can read all headers', async () => {
    const long = `/account/password?a=${'b'.repeat(1_900)}`
    for (let tab = 0; tab < 5; tab += 1) {
      expect((await place.start(browser, { continue: long })).status).to.equal(200)
      place.page.time.now += 1_000
    }
    const [value = ''] = cookiesAtProviders(browser).map((name) => browser.cookies.get(name) ?? '')
    expect(cookiesAtProviders(browser)).to.have.length(1)
    expect(value.length).to.be.lessThan(4_000)
    expect(leadsTo(await place.signIn(browser, EVE_THERE, { continue: long }))).to.deep.equal([303, long])
  })

  it('is asked before another account is signed out here', async () => {
    await browser.post(SIGN_IN, { email: place.page.ada.email, password: place.page.ada.password })
    const asked = await place.start(browser)
    expect([asked.status, providerUrl(asked)]).to.deep.equal([422, ''])
    expect(asked.html).to.include(`You are signed in as ${place.page.ada.email}`)
    const done = await place.signIn(browser, EVE_THERE, { replaces: hiddenIn(asked, 'replaces') })
    expect(leadsTo(done)).to.deep.equal([303, '/account'])
    expect((await browser.get('/account')).html).to.include(EVE.email)
  })

  it('signs out no person who has signed in meanwhile in another tab', async () => {
    const started = await place.start(browser)
    await browser.post(SIGN_IN, { email: place.page.ada.email, password: place.page.ada.password })
    const refused = await place.comeBack(browser, started)
    expect(refused.html).to.include(`You are signed in as ${place.page.ada.email}`)
    expect(refused.html).to.include('href="/account/sign-in?notice=choose_account"')
    expect((await browser.get('/account')).html).to.include(place.page.ada.email)
    expect(await place.page.data('FactorEnrolled')).to.deep.equal([])
  })

  it('may complete two tabs one after the other', async () => {
    const tabs = [await place.start(browser), await place.start(browser, { continue: '/account/password' })]
    const done = []
    for (const tab of tabs) done.push(leadsTo(await place.comeBack(browser, tab)))
    expect(done).to.deep.equal([
      [303, '/account'],
      [303, '/account/password'],
    ])
    expect((await browser.get('/account')).status).to.equal(200)
  })

  it('must authenticate there now if an application asks for that', async () => {
    for (const [query, isAgain] of [
      ['prompt=login', true],
      ['prompt=consent+login', true],
      ['max_age=60', true],
      ['prompt=consent', false],
    ] as const) {
      const next = `/oauth2/authorize?client_id=a&${query}`
      const { html } = await browser.get(`${SIGN_IN}?continue=${encodeURIComponent(next)}`)
      expect(html.includes('value="github"'), query).to.equal(!isAgain)
      const { searchParams } = new URL(providerUrl(await place.start(browser, { continue: next })))
      expect(searchParams.get('max_age'), query).to.equal(isAgain ? '0' : null)
    }
    const done = await place.signIn(browser, EVE_THERE, { continue: '/oauth2/authorize?max_age=0' })
    expect(leadsTo(done)).to.deep.equal([303, '/oauth2/authorize?max_age=0'])
  })

  it('reads that the provider does not answer any more, with the way back', async () => {
    const started = await place.start(browser)
    const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
    await place.google.stop()
    const ended = await browser.get(CALLBACK + answer)
    expect([ended.status, ended.html.includes(SILENT)]).to.deep.equal([503, true])
    expect(ended.html).to.include('<a href="/account/sign-in">')
    expect([cookiesAtProviders(browser), await refusals()]).to.deep.equal([[], []])
  })

  it('reads that the provider does not answer, with the form', async () => {
    await place.google.stop()
    const shown = await place.start(browser)
    expect([shown.status, shown.html.includes(SILENT)]).to.deep.equal([503, true])
    expect(shown.html).to.include('name="password"')
    expect(browser.received).to.deep.equal([])
  })

  it('is not led anywhere by a form of another site, or to a provider that there is not', async () => {
    const form = { step: 'identity', provider: 'google' }
    const foreign = await browser.post(SIGN_IN, form, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).to.equal(403)
    for (const provider of ['evil', '', '../google', 'GOOGLE'])
      expect(leadsTo(await place.start(browser, { provider }))).to.deep.equal([303, SIGN_IN])
    expect((await browser.get('/account/identity/evil')).status).to.equal(404)
  })

  it('gets one start for two clicks', async () => {
    const once = 'o'.repeat(22)
    const [one, other] = await Promise.all([place.start(browser, { once }), place.start(browser, { once })])
    expect(providerUrl(one)).to.equal(providerUrl(other)).and.not.to.equal('')
  })
})

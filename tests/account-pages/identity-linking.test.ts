import { expect } from 'chai'
import { leadsTo } from './browser-desk.ts'
import {
  CALLBACK,
  codesIn,
  EVE_THERE,
  type IdentityPlace,
  providerUrl,
  startIdentityPlace,
} from './identities-desk.ts'
import { EVE, LIST, PATH, type SecurityDesk, STEP_UP, seen, told } from './security-service.ts'

const STEP_UP_PATH = '/account/step-up'

describe('identities on the page for second factors', () => {
  let place: IdentityPlace
  let browser: SecurityDesk
  beforeEach(async () => {
    place = await startIdentityPlace()
    browser = place.page.desk()
    await browser.signIn()
  })
  afterEach(() => place.stop())

  const start = (provider = 'google', more = {}) => browser.step('link_identity', { provider, ...more })
  const link = async (more = {}) => place.comeBack(browser, await start('google', more))
  const linkedId = async () => /name="factor_id" value="([^"]+)"/.exec((await browser.list()).html)?.[1] ?? ''
  /** Takes the password away, as a user has none who came with the provider. */
  const withoutPassword = async () => {
    const other = await startIdentityPlace({ IDENTITY_REGISTRATION: 'on' })
    const desk = other.page.desk()
    other.page.time.now -= 601_000
    await other.signIn(desk, { id: 9, email: 'new@example.com' })
    return { other, desk }
  }

  it('are linked by the person who is signed in, in a list of their own', async () => {
    const before = await browser.list()
    expect(before.html).to.include('>Link Google</button>').and.include('>Link GitHub</button>')
    const other = place.page.desk()
    await other.signIn()
    const done = await link({ continue: '/account/password' })
    expect(leadsTo(done)).to.deep.equal([
      303,
      `${PATH}?notice=identity_linked&continue=%2Faccount%2Fpassword`,
    ])
    const list = await browser.get(String(done.headers.location))
    expect(seen(list)).to.deep.equal(LIST)
    expect(list.html).to.include('The provider is linked. All other devices were signed out.')
    expect(list.html).to.match(
      /<h2>Sign-in with other providers<\/h2>\s*<ul class="factors"><li>\s*<h3[^>]*>Google<\/h3>/,
    )
    expect(list.html).to.include('You have no second factor. Your password alone')
    expect(list.html).to.include('>Link GitHub</button>').and.not.include('>Link Google</button>')
    expect((await other.get('/account')).status).to.equal(303)
    expect(leadsTo(await place.signIn(place.page.desk()))).to.deep.equal([303, '/account'])
  })

  it('are linked from a fresh session only', async () => {
    place.page.time.now += 601_000
    const stale = await start()
    expect(leadsTo(stale)).to.deep.equal(STEP_UP)
  })

  it('are not linked in another browser, or to another person', async () => {
    const started = await start()
    const answer = await place.google.signIn(providerUrl(started), EVE_THERE)
    expect(codesIn(await place.page.desk().get(CALLBACK + answer))).to.deep.equal([3])
    const { ada } = place.page
    browser.cookies.delete('__Host-portcullis')
    expect(leadsTo(await browser.get(CALLBACK + answer))[1]).to.match(
      /^\/account\/sign-in\?.*notice=expired$/,
    )

    const again = place.page.desk()
    await again.signIn()
    const second = await again.step('link_identity', { provider: 'google' })
    again.cookies.delete('__Host-portcullis')
    await again.post('/account/sign-in', { email: ada.email, password: ada.password })
    const refused = await place.comeBack(again, second)
    expect(leadsTo(refused)).to.deep.equal(told('identity_refused'))
    expect(await place.page.data('FactorEnrolled')).to.deep.equal([])
  })

  it('are for a person whose e-mail is confirmed', async () => {
    const { ada } = place.page
    const ofAda = place.page.desk()
    await ofAda.post('/account/sign-in', { email: ada.email, password: ada.password })
    expect((await ofAda.list()).html).to.include('To link an account of another provider, first confirm')
    expect(leadsTo(await ofAda.step('link_identity', { provider: 'google' }))).to.deep.equal([303, PATH])
  })

  it('are linked already, or refused, which the page says', async () => {
    await link()
    const taken = await link()
    expect(codesIn(await browser.get(String(taken.headers.location)))).to.deep.equal([9])
    const refusal = await place.google.refuse(providerUrl(await start()), 'access_denied')
    const refused = await browser.get(CALLBACK + refusal)
    expect(codesIn(await browser.get(String(refused.headers.location)))).to.deep.equal([4])
  })

  it('are renamed and removed, and are no second factor', async () => {
    await link()
    const factor_id = await linkedId()
    const renaming = await browser.step('rename', { factor_id })
    expect(seen(renaming)).to.deep.equal([200, 'Rename the sign-in with another provider'])
    const wrong = await browser.step('save_name', { factor_id, name: '', kind: 'identity' })
    expect(seen(wrong)).to.deep.equal([422, 'Rename the sign-in with another provider'])
    const saved = await browser.step('save_name', { factor_id, name: 'Work', kind: 'identity' })
    expect(leadsTo(saved)).to.deep.equal(told('factor_renamed'))
    const asked = await browser.step('ask_removal', { factor_id })
    expect(asked.html).to.include('“Work” no longer signs you in').and.not.include('last second factor')
    for (const click of [1, 2])
      expect(leadsTo(await browser.step('remove_identity', { factor_id })), String(click)).to.deep.equal(
        told('identity_removed'),
      )
    const refused = await place.signIn(place.page.desk())
    expect(refused.headers.location).to.equal('/account/sign-in?notice=identity_link_first')
  })

  it('leave the recovery codes of the first second factor to it', async () => {
    await link()
    const { shown } = await browser.enrol()
    expect(shown.html).to.include('Your recovery codes')
    const list = await browser.list()
    const totp = /name="factor_id" value="([^"]+)"/.exec(list.html)?.[1] ?? ''
    expect((await browser.step('ask_removal', { factor_id: totp })).html).to.include('last second factor')
  })

  it('prove again who is signed in, beside the password', async () => {
    place.page.time.now -= 601_000 // the provider has the time of this machine
    await browser.signIn()
    await link()
    place.page.time.now += 601_000
    expect(leadsTo(await browser.list())).to.deep.equal(STEP_UP)
    const page = await browser.get(`${STEP_UP_PATH}?continue=${PATH}`)
    expect(page.html).to.include('name="password"').and.include('>Confirm with Google</button>')
    expect(page.html).not.to.include('GitHub')
    const started = await place.start(browser, { continue: PATH }, STEP_UP_PATH)
    expect(new URL(providerUrl(started)).searchParams.get('max_age')).to.equal('0')
    expect(leadsTo(await place.comeBack(browser, started))).to.deep.equal([303, PATH])
    expect(seen(await browser.list())).to.deep.equal(LIST)
  })

  it('prove nothing if they are those of another person, and the page says so', async () => {
    await link()
    const started = await place.start(browser, { continue: PATH }, STEP_UP_PATH)
    const refused = await place.comeBack(browser, started, { id: 8, email: EVE.email })
    expect(leadsTo(refused)[1]).to.include('/account/step-up?')
    expect(codesIn(await browser.get(String(refused.headers.location)))).to.deep.equal([4])
  })

  it('prove too little while a second factor is due', async () => {
    await link()
    const started = await place.start(browser, { continue: PATH }, STEP_UP_PATH)
    await browser.enrol()
    const refused = await place.comeBack(browser, started)
    expect(leadsTo(refused)).to.deep.equal(STEP_UP)
    const page = await browser.get(STEP_UP_PATH)
    expect(page.html).to.include('name="totp"').and.not.include('Confirm with Google')
  })

  it('are the only proof of a person without a password, and the last way in', async () => {
    const { other, desk } = await withoutPassword()
    try {
      const list = await desk.list()
      expect(list.html).to.include('You have no second factor.').and.not.include('neither a password')
      const factor_id = /name="factor_id" value="([^"]+)"/.exec(list.html)?.[1] ?? ''
      const kept = await desk.step('remove_identity', { factor_id })
      expect(leadsTo(kept)).to.deep.equal(told('last_way_in'))
      const said = await desk.get(String(kept.headers.location))
      expect([codesIn(said), said.html.includes(factor_id)]).to.deep.equal([[3], true])
      other.page.time.now += 601_000
      const page = await desk.get(`${STEP_UP_PATH}?continue=${PATH}`)
      expect(page.html).to.include('Confirm with Google').and.not.include('Your account has no password.')
      const started = await other.start(desk, { continue: PATH }, STEP_UP_PATH)
      const done = await other.comeBack(desk, started, { id: 9, email: 'new@example.com' })
      expect(leadsTo(done)).to.deep.equal([303, PATH])
      expect(seen(await desk.list())).to.deep.equal(LIST)
    } finally {
      await other.stop()
    }
  })
})

import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { eventually } from '../support/eventually.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { type BrowserDesk, browserDesk, leadsTo, onceIn } from './browser-desk.ts'
import { codesAtFields, type PageAnswer, type PagesService, startPages } from './pages-service.ts'
import { newPasskeyOnly, WITH_PASSKEYS } from './passkey-only.ts'
import { startInstance, startRegistering } from './register-desk.ts'

const REMOVE = '/account/remove'
const DONE = [303, '/account/sign-in?notice=removed']

/** The form of a page, with the session that it names. */
const formIn = (page: PageAnswer) => ({
  session_id: /name="session_id" value="([^"]*)"/.exec(page.html)?.[1] ?? '',
  once: onceIn(page),
})

describe('a person who removes the own account', () => {
  const storage = memoryStorage(Date.now)
  let pages: PagesService
  let browser: BrowserDesk
  beforeEach(async () => {
    Object.assign(storage, memoryStorage(Date.now))
    pages = await startPages(
      {},
      provide(Dependency.storage, () => storage),
    )
    browser = browserDesk(pages)
    await browser.signIn()
  })
  afterEach(() => pages.stop())

  const status = async () => {
    const found = await succeed(storage.store.findUser(pages.ada.id))
    return isSome(found) ? found.value.status : undefined
  }
  const filled = (page: PageAnswer) => ({ ...formIn(page), password: pages.ada.password, sure: 'on' })

  it('finds the page at home, repeats the password, ticks the box, and is signed out everywhere', async () => {
    const other = browserDesk(pages)
    await other.signIn()
    expect((await browser.get('/account')).html).to.include('href="/account/remove"')
    const form = await browser.get(REMOVE)
    expect(form.html)
      .to.match(/autocomplete="username"[^>]* readonly[^>]* value="Ada@Example.com"/)
      .and.match(/autocomplete="current-password"/)
      .and.match(/type="checkbox"/)
    const removed = await browser.post(REMOVE, filled(form))
    expect(leadsTo(removed)).to.deep.equal(DONE)
    expect(removed.headers['clear-site-data']).to.equal('"cache"')
    expect([browser.cookies.size, await status()]).to.deep.equal([0, 'removed'])
    expect((await browser.get('/account/sign-in?notice=removed')).html).to.include(
      'Your account was removed.',
    )
    expect((await other.get('/account')).status).to.equal(303)
    expect(await pages.accepts(pages.ada.password)).to.equal(false)
  })

  for (const [form, codes] of [
    [{}, { password: 1, sure: 3 }],
    [{ sure: 'on' }, { password: 1 }],
    [{ password: 'correct horse battery' }, { sure: 3 }],
    [{ password: 'wrong' }, { sure: 3 }],
    [{ password: 'wrong', sure: 'on' }, { password: 2 }],
  ] as const)
    it(`reads ${JSON.stringify(codes)} for ${JSON.stringify(form)}, and nothing is removed`, async () => {
      const shown = await browser.get(REMOVE)
      const answer = await browser.post(REMOVE, { ...formIn(shown), ...form })
      expect([answer.status, codesAtFields(answer.html)]).to.deep.equal([422, codes])
      expect([await status(), (await browser.get('/account')).status]).to.deep.equal(['enabled', 200])
    })

  it('reads that it is done in a stale tab, after F5 of the form and after a second click', async () => {
    const [tab, stale] = [await browser.get(REMOVE), await browser.get(REMOVE)]
    const before = new Map(browser.cookies)
    expect(leadsTo(await browser.post(REMOVE, filled(tab)))).to.deep.equal(DONE)
    expect(leadsTo(await browser.post(REMOVE, filled(tab))), 'the same form').to.deep.equal(DONE)
    expect(leadsTo(await browser.post(REMOVE, filled(stale))), 'without the cookie').to.deep.equal(DONE)
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect(leadsTo(await browser.post(REMOVE, filled(stale))), 'with the cookie').to.deep.equal(DONE)
    expect(browser.cookies.size).to.equal(0)
  })

  it('gets one answer to two equal forms at once', async () => {
    const form = filled(await browser.get(REMOVE))
    const both = await Promise.all([browser.post(REMOVE, form), browser.post(REMOVE, form)])
    expect(both.map(leadsTo)).to.deep.equal([DONE, DONE])
  })

  it('reads that nothing was changed after the session has ended otherwise', async () => {
    const form = filled(await browser.get(REMOVE))
    await browser.post('/account/sign-out', {})
    expect(leadsTo(await browser.post(REMOVE, form))).to.deep.equal([
      303,
      `/account/sign-in?continue=${encodeURIComponent(REMOVE)}&notice=expired`,
    ])
    expect(await status()).to.equal('enabled')
  })

  it('removes no other account that is signed in by then, whose page it was not', async () => {
    const eve = { email: 'eve@example.com', password: pages.ada.password } // even with the same password
    await succeed(pages.service.registerUser(CONTEXT, eve, OPERATOR))
    const stale = await browser.get(REMOVE)
    const replaces = formIn(stale).session_id
    await browser.signIn({ ...eve, replaces })
    expect(leadsTo(await browser.post(REMOVE, filled(stale)))).to.deep.equal([303, REMOVE])
    expect(leadsTo(await browser.post(REMOVE, { ...filled(stale), session_id: 'x' }))).to.deep.equal([
      303,
      REMOVE,
    ])
    await succeed(pages.service.removeUser(CONTEXT, pages.ada.id))
    expect(leadsTo(await browser.post(REMOVE, { ...filled(stale), once: '' }))).to.deep.equal([
      303,
      '/account',
    ])
    expect((await browser.get('/account')).html).to.include(eve.email)
  })
})

describe('a person with only a passkey who removes the own account', () => {
  it('needs no password, and confirms first who it is if that is long ago', async () => {
    const time = { now: Date.now() }
    const pages = await startPages(
      WITH_PASSKEYS,
      provide(Dependency.clock, () => () => time.now),
      provide(Dependency.steadyClock, () => async () => right(time.now)),
    )
    try {
      const browser = browserDesk(pages)
      const eve = await newPasskeyOnly(pages)
      expect(leadsTo(await eve.signIn(browser))).to.deep.equal([303, '/account'])
      const form = await browser.get(REMOVE)
      expect(form.html).not.to.include('type="password"')
      time.now += 3_600_000
      const toStepUp = [303, '/account/step-up?continue=%2Faccount%2Fremove']
      expect(leadsTo(await browser.post(REMOVE, { ...formIn(form), sure: 'on' }))).to.deep.equal(toStepUp)
      expect(leadsTo(await browser.get(REMOVE))).to.deep.equal(toStepUp)
      const stepUp = await browser.get('/account/step-up?continue=%2Faccount%2Fremove')
      const proved = { credential: await eve.answer(stepUp), continue: REMOVE }
      expect(leadsTo(await browser.post('/account/step-up', proved))).to.deep.equal([303, REMOVE])
      const again = formIn(await browser.get(REMOVE))
      const unsure = await browser.post(REMOVE, again)
      expect([unsure.status, codesAtFields(unsure.html)]).to.deep.equal([422, { sure: 3 }])
      expect(leadsTo(await browser.post(REMOVE, { ...again, sure: 'on' }))).to.deep.equal(DONE)
    } finally {
      await pages.stop()
    }
  })
})

describe('the notice of a removal on the pages', () => {
  it('goes to the former address, in the language of the page', async () => {
    const pages = await startRegistering()
    try {
      const browser = browserDesk(pages)
      await browser.signIn()
      const form = formIn(await browser.get(REMOVE))
      await browser.post(REMOVE, { ...form, password: pages.ada.password, sure: 'on', ui_locales: 'de' })
      const letter = await eventually('the notice', async () =>
        pages.mailer.received.find(({ kind }) => kind === 'account_removed'),
      )
      expect([letter.to, letter.subject]).to.deep.equal([pages.ada.email, 'Ihr Konto wurde gelöscht'])
    } finally {
      await pages.stop()
    }
  })
})

for (const { name, layOut } of SHARED_STORES)
  describe(`a removal that arrives at two instances, on ${name}`, () => {
    it('is done for both', async () => {
      const place = await layOut()
      const environment = { ...mailLinkSettings(), DATABASE_URL: place.url }
      const one = await startPages(environment)
      const other = await startInstance(environment)
      try {
        const browser = browserDesk(one)
        await browser.signIn()
        const form = formIn(await browser.get(REMOVE))
        const second = browserDesk({ ...other, ada: one.ada })
        for (const [cookie, value] of browser.cookies) second.cookies.set(cookie, value)
        const sent = { ...form, password: one.ada.password, sure: 'on' }
        const both = await Promise.all([browser.post(REMOVE, sent), second.post(REMOVE, sent)])
        expect(both.map(leadsTo)).to.deep.equal([DONE, DONE])
      } finally {
        await other.stop()
        await one.stop()
        await place.remove()
      }
    })
  })

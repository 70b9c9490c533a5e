import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type BrowserDesk, browserDesk, hiddenIn, leadsTo } from './browser-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

const SESSION = '__Host-portcullis'
const EVE = { email: 'eve@example.com', password: 'tr0ub4dor and three' }

describe('a browser with a session, in which somebody else signs in', () => {
  let store: Store
  let pages: PagesService
  let browser: BrowserDesk
  let cookie: string
  beforeEach(async () => {
    store = memoryStore()
    pages = await startPages(
      {},
      provide(Dependency.storage, () => ({ store })),
    )
    await succeed(pages.service.registerUser(CONTEXT, EVE, OPERATOR))
    browser = browserDesk(pages)
    await browser.signIn()
    cookie = `${SESSION}=${browser.cookies.get(SESSION)}`
  })
  afterEach(() => pages.stop())

  const isAlive = async () => (await pages.get('/account', { cookie })).status === 200

  it('keeps the session of the first until the second person confirms, and then has only the other one', async () => {
    const asked = await browser.signIn(EVE)
    expect([asked.status, await isAlive()]).to.deep.equal([422, true])
    expect(asked.html).not.to.include(EVE.password)
    const replaces = hiddenIn(asked, 'replaces')
    expect(leadsTo(await browser.signIn({ ...EVE, replaces }))).to.deep.equal([303, '/account'])
    expect(await isAlive()).to.equal(false)
    const home = (await browser.get('/account')).html
    expect(home).to.include(EVE.email).and.not.to.include(pages.ada.email)
    const [ended] = await eventsOf(store, 'UserSignedOut')
    expect(ended?.subject.id).to.equal(pages.ada.id)
    const checked = await succeed(checkLog({ store, clock: pages.now, digests: nodeDigests }))
    expect(checked.disagreements).to.deep.equal([])
  })

  for (const replaces of ['', '70616765-7300-8000-8000-000000000001', 'x'])
    it(`is asked again with ${JSON.stringify(replaces)} as the session to replace`, async () => {
      const asked = await browser.signIn({ ...EVE, replaces })
      expect([asked.status, await isAlive()]).to.deep.equal([422, true])
      expect(asked.html).to.include(`You are signed in as ${pages.ada.email}`)
    })

  it('goes back with its language to where the first person was', async () => {
    const { html } = await browser.signIn({ ...EVE, continue: '/account/security', ui_locales: 'de' })
    expect(html).to.include('<a href="/account/security?ui_locales=de">')
  })

  it('tells nothing about the typed account before it is confirmed', async () => {
    const plain = (html: string) =>
      html.replaceAll(/ (?:value|data-options)="[^"]*"/g, '').replaceAll(/[\w.]+@example\.com/gi, '@')
    const [known, unknown, right] = [
      await browser.signIn({ ...EVE, password: 'wrong' }),
      await browser.signIn({ email: 'unknown@example.com', password: 'wrong' }),
      await browser.signIn(EVE),
    ]
    expect(plain(unknown.html)).to.equal(plain(known.html))
    expect(plain(right.html)).to.equal(plain(known.html))
    expect(await eventsOf(store, 'SignInRefused')).to.deep.equal([])
  })
})

describe('pages below a path', () => {
  it('lead, post and continue there, and nowhere else', async () => {
    const pages = await startPages({ PUBLIC_URL: 'https://service.test/auth' })
    const browser = browserDesk({
      ...pages,
      get: (path, headers) => pages.get(`/auth${path}`, headers),
      post: (path, form, headers) => pages.post(`/auth${path}`, form, headers),
    })
    try {
      expect(leadsTo(await browser.get('/account/password'))).to.deep.equal([
        303,
        '/auth/account/sign-in?continue=%2Fauth%2Faccount%2Fpassword',
      ])
      for (const [continued, to] of [
        ['/auth/account/password', '/auth/account/password'],
        ['/account/password', '/auth/account'],
        ['/auth/../account/password', '/auth/account'],
        ['/authaccount', '/auth/account'],
        ['//auth/account', '/auth/account'],
      ] as const)
        expect(leadsTo(await browser.signIn({ continue: continued })), continued).to.deep.equal([303, to])
      expect(browser.received[0]).to.include('; Path=/; ')
      const home = await browser.get('/account')
      expect([home.status, home.html.includes('href="/auth/account/password"')]).to.deep.equal([200, true])
    } finally {
      await pages.stop()
    }
  })
})

import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { browserDesk, leadsTo, onceIn, SAME_ORIGIN } from './browser-desk.ts'
import { startPages } from './pages-service.ts'
import { REGISTER, type RegisterDesk, startRegistering, tokenOf } from './register-desk.ts'

const EVE = 'eve@example.com'
const PASSWORD = 'correct horse battery'
const CHOSEN = { new_password: PASSWORD, new_password_check: PASSWORD }

describe('what protects a registration on the pages', () => {
  let pages: RegisterDesk
  before(async () => {
    pages = await startRegistering()
  })
  after(() => pages.stop())

  const OURS = 'https://service.test'
  let count = 0
  const HEADERS: ReadonlyArray<
    readonly [Readonly<Record<string, string>>, 'signs in' | 'makes' | 'refuses']
  > = [
    [SAME_ORIGIN, 'signs in'],
    [{ ...SAME_ORIGIN, origin: 'null' }, 'signs in'],
    [{ ...SAME_ORIGIN, origin: OURS }, 'signs in'],
    [{}, 'makes'],
    [{ origin: 'null' }, 'makes'],
    [{ origin: OURS }, 'makes'],
    [{ origin: 'https://evil.example' }, 'refuses'],
    [{ ...SAME_ORIGIN, origin: 'https://evil.example' }, 'refuses'],
    [{ 'sec-fetch-site': 'same-site', origin: 'null' }, 'refuses'],
    [{ 'sec-fetch-site': 'cross-site', origin: 'null' }, 'refuses'],
    [{ 'sec-fetch-site': 'none', origin: OURS }, 'refuses'],
  ]
  for (const [headers, outcome] of HEADERS)
    it(`${outcome} an account behind a link with ${JSON.stringify(headers)}`, async () => {
      count += 1
      const token = tokenOf(pages.newLink(`user${count}@example.com`))
      const { status, headers: answered } = await pages.post(REGISTER, { token, ...CHOSEN }, headers)
      const to = outcome === 'signs in' ? '/account' : '/account/sign-in?notice=registered'
      expect([status, answered.location]).to.deep.equal(outcome === 'refuses' ? [403, undefined] : [303, to])
      expect(answered['set-cookie'] !== undefined).to.equal(outcome === 'signs in')
      const second = await pages.post(REGISTER, { token, ...CHOSEN }, SAME_ORIGIN)
      expect(second.headers['set-cookie'] !== undefined, 'is unused').to.equal(outcome === 'refuses')
    })

  for (const [headers, status] of [
    [{ ...SAME_ORIGIN, origin: 'null' }, 403],
    [{ origin: 'null' }, 403],
    [{}, 403],
    [{ origin: OURS }, 303],
  ] as const)
    it(`answers the form for the e-mail with ${status} for ${JSON.stringify(headers)}`, async () => {
      expect((await pages.post(REGISTER, { email: EVE }, headers)).status).to.equal(status)
    })

  it('tells no one the link: no page with a token sends a referrer', async () => {
    const link = pages.newLink('referrer@example.com')
    const token = tokenOf(link)
    for (const answer of [
      await pages.get(link),
      await pages.get(`${REGISTER}?token=x`),
      await pages.post(REGISTER, { token }, SAME_ORIGIN),
    ])
      expect(answer.headers['referrer-policy']).to.equal('no-referrer')
    expect((await pages.get(REGISTER)).headers['referrer-policy']).to.equal('same-origin')
  })

  it('bounds the mails to an address, and the accounts from a network', async () => {
    const own = await startRegistering({ THROTTLE_REGISTRATIONS: '1', TRUST_PROXY: '1' })
    const from = (address: string) => ({ ...SAME_ORIGIN, 'x-forwarded-for': address })
    try {
      const mailed: Array<number> = []
      for (let each = 0; each < 6; each += 1)
        mailed.push((await own.post(REGISTER, { email: EVE }, SAME_ORIGIN)).status)
      expect(mailed).to.deep.equal([303, 303, 303, 303, 303, 429])
      const links = [own.newLink('a@example.com'), own.newLink('b@example.com')].map(tokenOf)
      const register = (at: number, address: string) =>
        own.post(REGISTER, { token: links[at] ?? '', ...CHOSEN }, from(address))
      expect((await register(0, '192.0.2.1')).status).to.equal(303)
      const refused = await register(1, '192.0.2.1')
      expect(refused.status).to.equal(429)
      expect(refused.html).to.include('<form').and.include('b@example.com')
      expect((await register(1, '192.0.2.2')).status).to.equal(303)
    } finally {
      await own.stop()
    }
  })

  it('is 404 unless strangers may register, and no page leads there', async () => {
    const own = await startPages()
    try {
      for (const answer of [
        await own.get(REGISTER),
        await own.get(`${REGISTER}?token=x`),
        await own.post(REGISTER, { email: EVE }, SAME_ORIGIN),
      ])
        expect(answer.status).to.equal(404)
      expect((await own.get('/account/sign-in')).html).not.to.include('register')
    } finally {
      await own.stop()
    }
  })

  it('is closed with the application of the pages', async () => {
    const own = await startRegistering()
    try {
      const link = own.newLink(EVE)
      await succeed(own.service.revokeApplication({}, 'Account pages'))
      expect((await own.get(REGISTER)).status).to.equal(503)
      expect((await own.get(link)).status).to.equal(503)
      expect((await own.post(REGISTER, { email: EVE }, SAME_ORIGIN)).status).to.equal(503)
      expect((await own.post(REGISTER, { token: tokenOf(link), ...CHOSEN }, SAME_ORIGIN)).status).to.equal(
        503,
      )
    } finally {
      await own.stop()
    }
  })

  it('gives one account and one session to a form that arrives twice', async () => {
    const browser = browserDesk(pages)
    const link = pages.newLink('twice@example.com')
    const once = onceIn(await browser.get(link))
    const form = { once, token: tokenOf(link), ...CHOSEN }
    const both = await Promise.all([browser.post(REGISTER, form), browser.post(REGISTER, form)])
    expect(both.map(leadsTo)).to.deep.equal([
      [303, '/account'],
      [303, '/account'],
    ])
    expect((await browser.get('/account')).html.match(/<h3 id="session-/g)).to.have.length(1)
  })

  for (const own of [SAME_ORIGIN, { ...SAME_ORIGIN, origin: 'null' }])
    it(`signs no one in by a form of another site that repeats one with ${JSON.stringify(own)}`, async () => {
      count += 1
      const token = tokenOf(pages.newLink(`repeated${count}@example.com`))
      const form = { once: 'r'.repeat(22), token, ...CHOSEN }
      expect((await pages.post(REGISTER, form, own)).headers['set-cookie']).not.to.equal(undefined)
      for (const headers of [{}, { origin: 'null' }, { origin: OURS }]) {
        const repeated = await pages.post(REGISTER, form, headers)
        expect(leadsTo(repeated)).to.deep.equal([303, '/account/sign-in?notice=already_done'])
        expect(repeated.headers['set-cookie']).to.equal(undefined)
      }
    })
})

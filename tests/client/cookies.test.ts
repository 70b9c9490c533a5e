import { expect } from 'chai'
import { PortcullisUnavailable } from '../../adapters/client/client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { successOf } from './client-world.ts'
import { browserOf, type CookieWorld, openCookieWorld, partsOf } from './cookie-world.ts'
import { thrownBy } from './thrown-by.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** Each way in which a renewal fails while the session lives. */
const FAILURES: ReadonlyArray<readonly [what: string, answer: () => Promise<Response>]> = [
  ['an outage', () => Promise.reject(new TypeError('fetch failed'))],
  [
    'a lost answer',
    async () => Response.json({ success: false, code: 503, message: 'Later.' }, { status: 503 }),
  ],
  [
    'throttling',
    async () =>
      Response.json(
        { success: false, code: 429, message: 'Too many requests.' },
        { status: 429, headers: { 'Retry-After': '7' } },
      ),
  ],
]

describe('the cookie of a session', () => {
  let world: CookieWorld
  beforeEach(async () => {
    world = await openCookieWorld()
  })
  afterEach(() => world.running.stop())

  /** A browser that has just signed in. */
  const signedIn = async (remember?: boolean) => {
    const browser = browserOf()
    browser.take(await world.auth.cookies.keep(await world.signIn(remember)))
    return browser
  }
  /** Who visits, as the service says; undefined for a guest. */
  const read = async (browser: ReturnType<typeof browserOf>) => {
    const visitor = await world.auth.cookies.visitor(browser.header())
    browser.take(...visitor.setCookies)
    return { ...visitor, email: visitor.profile?.email }
  }
  const email = 'Ada@Example.com'

  it('lives as long as the session, and shows no token', async () => {
    const answer = await world.signIn()
    const line = await world.auth.cookies.keep(answer)
    expect(partsOf(line)).to.include({ name: '__Host-session', age: 12 * HOUR })
    expect(line).not.to.include(answer.token)
    expect(await world.auth.cookies.keep(answer), 'sealed with another nonce').not.to.equal(line)
  })

  it('says who visits, and changes nothing in the first half of the life of a token', async () => {
    const browser = await signedIn()
    world.passSeconds(5 * MINUTE)
    expect(await read(browser)).to.deep.include({ email, setCookies: [] })
  })

  it('is of no use to guests', async () => {
    for (const header of [undefined, null, '', 'theme=dark', '__Host-session=', '__Host-session', ';;=;'])
      expect(await world.auth.cookies.read(header)).to.deep.include({ token: '', setCookies: [] })
    const { user } = await world.auth.cookies.read('')
    expect(await user.getProfile()).to.include({ refusal: 'invalid_token' })
  })

  it('is renewed in the second half of the life of a token, and after it', async () => {
    const browser = await signedIn()
    world.passSeconds(5 * MINUTE + 1)
    const first = await read(browser)
    expect(first).to.include({ email }).and.have.property('setCookies').with.lengthOf(1)
    world.passSeconds(11 * HOUR)
    const { token } = first
    const second = await read(browser)
    expect(second).to.include({ email })
    expect(second.token).not.to.equal(token)
    expect(second.setCookies.map(partsOf)).to.have.nested.property('[0].age', 12 * HOUR)
    world.passSeconds(12 * HOUR)
    expect(await read(browser), 'idle for too long').to.deep.include({ email: undefined, setCookies: [] })
  })

  it('may be renewed by several requests at once', async () => {
    const browser = await signedIn()
    world.passSeconds(HOUR)
    const header = browser.header()
    const visitors = await Promise.all([1, 2].map(() => world.auth.cookies.read(header)))
    for (const { user, setCookies } of visitors) {
      expect(setCookies).to.have.lengthOf(1)
      expect(await user.getProfile()).to.include({ ok: true })
    }
  })

  it('of a remembered user lives for 30 days', async () => {
    const browser = browserOf()
    const line = await world.auth.cookies.keep(await world.signIn(true))
    expect(partsOf(line).age).to.equal(30 * DAY)
    browser.take(line)
    world.passSeconds(29 * DAY)
    const visitor = await read(browser)
    expect(visitor).to.include({ email })
    expect(visitor.setCookies.map(partsOf)).to.have.nested.property('[0].age', DAY)
  })

  it('keeps its end after a step-up, also one in the request that renews', async () => {
    const { password } = world.running.user
    for (const [seconds, rest] of [
      [MINUTE, 12 * HOUR - MINUTE],
      [11 * HOUR, 12 * HOUR],
    ] as const) {
      const browser = await signedIn()
      world.passSeconds(seconds)
      const visitor = await read(browser)
      const proven = successOf(await visitor.user.stepUp({ password }))
      const line = await world.auth.cookies.keep(proven, visitor)
      expect(partsOf(line).age).to.equal(rest)
      browser.take(line)
      expect(await read(browser)).to.include({ email, token: proven.token })
    }
    const proven = await world.signIn()
    const { sessionExpiresIn: _, ...stepUp } = proven
    const line = await world.auth.cookies.keep(stepUp, await world.auth.cookies.read(''))
    expect(partsOf(line).age, 'without a cookie, the life of the token').to.equal(10 * MINUTE)
  })

  for (const [what, answer] of FAILURES) {
    it(`survives ${what} while the token lives`, async () => {
      const browser = await signedIn()
      world.passSeconds(9 * MINUTE)
      world.renewWith(answer)
      expect(await read(browser)).to.deep.include({ email, setCookies: [] })
      world.renewWith()
      world.passSeconds(10)
      expect(await read(browser))
        .to.include({ email })
        .and.have.property('setCookies')
        .with.lengthOf(1)
    })

    it(`fails with ${what} once the token has expired, and keeps the cookie`, async () => {
      const browser = await signedIn()
      world.passSeconds(HOUR)
      world.renewWith(answer)
      const error = await thrownBy(world.auth.cookies.read(browser.header()))
      expect(error).to.be.instanceOf(PortcullisUnavailable)
      if (what === 'throttling') expect(error).to.include({ status: 429, retryAfter: 7, outcome: 'none' })
      world.renewWith()
      expect(await read(browser)).to.include({ email })
    })
  }

  it('survives a refused request while the token lives, and then says why', async () => {
    const browser = await signedIn()
    world.renewWith(async () => new Response('Forbidden', { status: 403 }))
    world.passSeconds(9 * MINUTE)
    expect(await read(browser)).to.deep.include({ email, setCookies: [] })
    world.passSeconds(2 * MINUTE)
    const error = await thrownBy(world.auth.cookies.read(browser.header()))
    expect(error).to.include({ name: 'RequestRefused', status: 403 })
  })

  it('serves a user whose renewal is refused until the token expires, and is then removed', async () => {
    const browser = await signedIn()
    await succeed(world.running.service.setApplication(CONTEXT, world.applicationId, { requireAal2: true }))
    world.passSeconds(9 * MINUTE)
    expect(await read(browser)).to.deep.include({ email, setCookies: [] })
    world.passSeconds(2 * MINUTE)
    const { token, setCookies } = await read(browser)
    expect([token, setCookies]).to.deep.equal(['', [world.auth.cookies.clear()]])
    expect(browser.header()).to.equal('')
  })

  it('ends with the call of its reader', async () => {
    const browser = await signedIn()
    world.passSeconds(9 * MINUTE)
    const options = { signal: AbortSignal.abort('enough') }
    expect(await thrownBy(world.auth.cookies.read(browser.header(), options))).to.equal('enough')
  })

  it('counts as none after a rotation of the API keys, unless the former one is still among the secrets', async () => {
    const browser = await signedIn()
    expect(await world.rotated.cookies.read(browser.header())).to.deep.include({ token: '', setCookies: [] })
    const visitor = await world.rotatedGently.cookies.read(browser.header())
    expect(visitor.token).not.to.equal('')
    const line = await world.rotatedGently.cookies.keep({ token: visitor.token, expiresIn: 60 }, visitor)
    browser.take(line)
    expect(await world.auth.cookies.read(browser.header()), 'the newest secret seals').to.include({
      token: '',
    })
  })

  for (const [what, answer] of FAILURES)
    it(`is asked of the service once within 10 s of ${what}, and then again`, async () => {
      const browser = await signedIn()
      world.passSeconds(9 * MINUTE)
      let renewedAt: ReadonlyArray<number> = []
      world.renewWith(() => {
        renewedAt = [...new Set([...renewedAt, world.now()])]
        return answer()
      })
      for (const seconds of [0, 5, 4, 1]) {
        world.passSeconds(seconds)
        expect(await read(browser)).to.deep.include({ email, setCookies: [] })
      }
      const [first = 0, ...others] = renewedAt
      expect(others).to.deep.equal([first + 10_000])
    })

  it('of a session that has ended makes a guest, and is removed', async () => {
    const browser = await signedIn()
    const { user } = await world.auth.cookies.read(browser.header())
    successOf(await user.signOut())
    expect(await world.auth.cookies.read(browser.header()), 'by the cookie alone').not.to.include({
      token: '',
    })
    expect(await read(browser)).to.deep.include({ token: '', profile: undefined })
    expect(browser.header()).to.equal('')
  })

  for (const [what, seconds] of [
    ['lives', 0],
    ['has expired', HOUR],
  ] as const)
    it(`is removed by a sign-out, which ends the session of a token that ${what}`, async () => {
      const browser = await signedIn()
      const header = browser.header()
      world.passSeconds(seconds)
      browser.take(await world.auth.cookies.signOut(header))
      expect(browser.header()).to.equal('')
      expect((await world.auth.cookies.visitor(header)).profile).to.equal(undefined)
      expect(await world.auth.cookies.signOut(header), 'again').to.equal(world.auth.cookies.clear())
      expect(await world.auth.cookies.signOut(''), 'a guest').to.equal(world.auth.cookies.clear())
    })

  it('counts as none if the request has two', async () => {
    const header = (await signedIn()).header()
    expect(await world.auth.cookies.read(`${header}; ${header}`)).to.include({ token: '' })
    expect(await world.auth.cookies.read(`x${header}; theme=dark; ${header}`)).not.to.include({ token: '' })
  })
})

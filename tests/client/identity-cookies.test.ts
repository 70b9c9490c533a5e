import { expect } from 'chai'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import { successOf } from './client-world.ts'
import { browserOf, type CookieWorld, openCookieWorld, partsOf, SITE } from './cookie-world.ts'

const BOB = { id: 1, email: 'bob@example.com' }

describe('a sign-in at a provider, bound to a browser by a cookie', () => {
  let world: CookieWorld
  beforeEach(async () => {
    world = await openCookieWorld({ ...FACTOR_SETTINGS, DATABASE_URL: 'memory:' })
  })
  afterEach(() => world.running.stop())

  type Browser = ReturnType<typeof browserOf>

  /** Starts a sign-in. Returns the address at which the browser comes back. */
  const start = async (browser: Browser, remember?: boolean, at = 0): Promise<string> => {
    const provider = world.providers[at]?.name ?? ''
    const redirectUri = `${SITE}/back/${provider}`
    const input = { provider, redirectUri, remember }
    const started = successOf(await world.auth.cookies.startIdentity(input, browser.header()))
    browser.take(...started.setCookies)
    return `/back/${provider}${world.providers[at]?.signIn(started.url, BOB)}`
  }
  const complete = async (browser: Browser, url: string, provider = 'google') => {
    const completed = await world.auth.cookies.completeIdentity({ provider, url }, browser.header())
    browser.take(...completed.setCookies)
    return completed
  }
  const ENDED = 'problems[0].reason'

  it('keeps the session, and removes the cookie of the start', async () => {
    const browser = browserOf()
    const url = await start(browser)
    expect([...browser.jar.keys()])
      .to.have.lengthOf(1)
      .and.have.property('0')
      .which.matches(/^__Host-start\.google\./)
    const { setCookies } = successOf(await complete(browser, `${SITE}${url}#top`))
    expect(setCookies.map(partsOf).map(({ age }) => age)).to.deep.equal([43_200, 0])
    expect([...browser.jar.keys()]).to.deep.equal(['__Host-session'])
    const { user } = await world.auth.cookies.read(browser.header())
    expect(successOf(await user.getProfile())).to.include({ email: BOB.email })
  })

  it('remembers a user who wanted it at the start', async () => {
    const browser = browserOf()
    const { setCookies } = successOf(await complete(browser, await start(browser, true)))
    expect(partsOf(setCookies[0] ?? '').age).to.equal(30 * 86_400)
  })

  it('completes in each of two tabs', async () => {
    const browser = browserOf()
    const tabs = [await start(browser), await start(browser)]
    for (const tab of tabs) expect(await complete(browser, tab)).to.include({ ok: true })
  })

  it('is refused in another browser, at the address of another provider, and twice', async () => {
    const browser = browserOf()
    const url = await start(browser)
    expect(await complete(browserOf(), url)).to.have.nested.property(ENDED, 'ended')
    expect(await complete(browser, url, 'github')).to.have.nested.property(ENDED, 'ended')
    expect(await complete(browser, url)).to.include({ ok: true })
    expect(await complete(browser, url)).to.have.nested.property(ENDED, 'ended')
    for (const other of ['', '/back/google', '/back/google?state=', '?state=x&state=y', '?state=%0d%0aa%3Db'])
      expect(await complete(browser, other), other).to.deep.include({ ok: false, setCookies: [] })
  })

  it('is refused with a cookie that was moved to the state of another start', async () => {
    const [mine, other] = [browserOf(), browserOf()]
    await start(mine)
    const url = await start(other)
    const [[, value = ''] = []] = mine.jar
    const [[name = ''] = []] = other.jar
    other.jar.set(name, value)
    expect(await complete(other, url)).to.have.nested.property(ENDED, 'ended')
  })

  it('does not start at an unknown provider', async () => {
    const input = { provider: 'unknown; Domain=x', redirectUri: `${SITE}/back/google` }
    const refused = await world.auth.cookies.startIdentity(input, '')
    expect(refused).to.have.nested.property(ENDED, 'unknown')
  })

  it('removes its cookie when a second factor is due or the provider refused', async () => {
    const browser = browserOf()
    const { token } = successOf(await complete(browser, await start(browser)))
    await factorDesk(world.running, world.now).enrol(token)
    expect(await complete(browser, await start(browser))).to.include({ refusal: 'second_factor' })
    expect([...browser.jar.keys()]).to.deep.equal(['__Host-session'])
    const [google] = world.providers
    const redirectUri = `${SITE}/back/google`
    const input = { provider: 'google', redirectUri }
    const { url, setCookies } = successOf(await world.auth.cookies.startIdentity(input, browser.header()))
    browser.take(...setCookies)
    const back = google?.refuse(url, 'access_denied') ?? ''
    expect(await complete(browser, back)).to.have.nested.property(ENDED, 'identity_refused')
    expect([...browser.jar.keys()]).to.deep.equal(['__Host-session'])
  })

  it('leaves the newest starts, so that the header stays short', async () => {
    const browser = browserOf()
    const urls: Array<string> = []
    for (let starts = 0; starts < 8; starts += 1) {
      world.passSeconds(1)
      urls.push(await start(browser))
      expect(browser.jar.size).to.be.at.most(5)
      expect(browser.header().length).to.be.below(7000)
    }
    expect(await complete(browser, urls[0] ?? '')).to.have.nested.property(ENDED, 'ended')
    expect(await complete(browser, urls.at(-1) ?? '')).to.include({ ok: true })
  })

  it('removes starts that do not open, and bounds its response', async () => {
    const forged = Array.from({ length: 300 }, (_, at) => `__Host-start.a.${at}=AAAA`).join('; ')
    const input = { provider: 'google', redirectUri: `${SITE}/back/google` }
    const { setCookies } = successOf(await world.auth.cookies.startIdentity(input, forged))
    expect(setCookies).to.have.lengthOf(21)
    expect(setCookies[1]).to.equal('__Host-start.a.0=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0')
  })
})

import { expect } from 'chai'
import { portcullis } from '../../adapters/client/client.ts'
import { systemTime } from '../../adapters/client/time.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { timed } from '../support/second-factor-service.ts'
import { memoryIdentityProvider, type Person } from '../testkit/identity-provider/memory-identity-provider.ts'
import { visitorOf } from './forms.ts'
import { PROVIDERS } from './front-ends/pages.ts'
import { TEXTS } from './front-ends/texts.ts'
import { type Program, startProgram } from './program.ts'

const HOUR_MS = 3_600_000
const NEW = 'quarrel lantern meadow'

for (const framework of ['express', 'fastify', 'hono']) {
  describe(`the example front end on ${framework}`, () => {
    let running: RunningService
    let front: Program
    let time: { now: number }
    let providers: ReadonlyArray<ReturnType<typeof memoryIdentityProvider>>
    let visitor: ReturnType<typeof visitorOf>
    before(async () => {
      time = { now: Date.now() }
      const days = 86_400
      const environment = {
        ...FACTOR_SETTINGS,
        IDENTITY_REGISTRATION: 'on',
        USER_TOKEN_TTL: '600',
        SESSION_IDLE_TTL: '43200',
        SESSION_TTL: String(7 * days),
        SESSION_REMEMBER_TTL: String(30 * days),
      }
      providers = PROVIDERS.map(([name, label]) =>
        memoryIdentityProvider({ name, label, issuer: `https://${name}.example`, now: () => time.now }),
      )
      running = await startService(
        environment,
        provide(Dependency.identityProviders, () => providers),
        ...timed(time),
      )
      front = await startProgram(`front-ends/${framework}`, {
        PORTCULLIS_URL: `http://127.0.0.1:${running.port}`,
        PUBLIC_API_KEY: running.keys.public_api_key,
        PRIVATE_API_KEY: running.keys.private_api_key,
      })
      visitor = visitorOf(front.url)
      const redirectUris = PROVIDERS.map(([name]) => `${front.url}/back/${name}`)
      await succeed(running.service.setApplication(CONTEXT, shop(), { redirectUris }))
    })
    after(async () => expect(await front.stop()).to.equal(0))

    const passHours = (hours: number): void => {
      time.now += hours * HOUR_MS
      front.shiftMs(time.now - Date.now())
    }
    const shop = () => running.keys.public_api_key.slice('pk_'.length)
    const credentials = () => ({ email: running.user.email, password: running.user.password })
    const SIGN_IN_FIRST = { status: 303, location: '/sign_in', cookies: 0 }

    it('sends a guest to the sign-in', async () => {
      expect(await visitor.get('/')).to.include(SIGN_IN_FIRST)
      expect(await visitor.post('/', {})).to.include(SIGN_IN_FIRST)
      expect((await visitor.get('/sign_in')).page).to.include('Anmelden')
    })

    it('shows each problem of a sign-in at its field, in the language of the product', async () => {
      const empty = await visitor.post('/sign_in', { email: '' })
      expect(empty).to.include({ status: 422, cookies: 0 })
      expect(empty.texts).to.deep.equal({ email: TEXTS.missing, password: TEXTS.missing })
      const wrong = await visitor.post('/sign_in', { ...credentials(), password: 'wrong' })
      expect(wrong).to.include({ status: 422, cookies: 0 })
      expect(wrong.texts).to.deep.equal({ password: TEXTS.wrong_password })
    })

    it('refuses a form of another site', async () => {
      for (const site of ['cross-site', 'same-site']) {
        const refused = await visitor.post('/sign_in', credentials(), { 'sec-fetch-site': site })
        expect(refused).to.include({ status: 403, cookies: 0 })
      }
    })

    it('keeps the token in a cookie that no script and no other host can use', async () => {
      expect(await visitor.post('/sign_in', credentials())).to.include({
        status: 303,
        location: '/',
        cookies: 1,
        age: 43_200,
      })
      const home = await visitor.get('/')
      expect(home).to.include({ status: 200, cookies: 0 })
      expect(home.page).to.include(running.user.email)
    })

    it('accepts no cookie of another name and no other token', async () => {
      const session = visitor.cookie()
      const value = session.slice(session.indexOf('='))
      for (const cookie of [
        `x__Host-session${value}`,
        session.replace(/.{9}$/, 'AAAAAAAAA'),
        '__Host-session=',
      ])
        expect(await visitor.get('/', cookie)).to.include(SIGN_IN_FIRST)
      expect(await visitor.get('/', `theme=dark; ${session}`)).to.include({ status: 200 })
    })

    it('shows each problem of a password change at its field', async () => {
      const refused = await visitor.post('/', {
        oldPassword: 'wrong',
        newPassword: '',
        newPasswordCheck: 'other',
      })
      expect(refused).to.include({ status: 422 })
      expect(refused.texts).to.deep.equal({
        oldPassword: TEXTS.wrong_password,
        newPassword: TEXTS.missing,
        newPasswordCheck: TEXTS.different,
      })
    })

    it('changes the password', async () => {
      const { password: oldPassword } = credentials()
      const changed = await visitor.post('/', { oldPassword, newPassword: NEW, newPasswordCheck: NEW })
      expect(changed).to.include({ status: 200 })
      expect(changed.page).to.include('Das Passwort ist geändert.')
      expect(changed.texts).to.deep.equal({})
    })

    it('renews a session in the second half of the life of its token, and after it', async () => {
      passHours(4 / 60)
      expect(await visitor.get('/')).to.include({ status: 200, cookies: 0 })
      passHours(2 / 60)
      const former = visitor.cookie()
      expect(await visitor.get('/')).to.include({ status: 200, cookies: 1 })
      passHours(11)
      expect(await visitor.get('/')).to.include({ status: 200, cookies: 1, age: 43_200 })
      expect(await visitor.get('/', former), 'another tab').to.include({ status: 200, cookies: 1 })
      passHours(13)
      expect(await visitor.get('/'), 'idle for too long').to.include(SIGN_IN_FIRST)
    })

    it('keeps a user who wants to be remembered signed in for 30 days', async () => {
      const known = { email: running.user.email, password: NEW, remember: 'on' }
      expect(await visitor.post('/sign_in', known)).to.include({ status: 303, age: 30 * 86_400 })
      passHours(29 * 24)
      expect(await visitor.get('/')).to.include({ status: 200, cookies: 1, age: 86_400 })
      passHours(25)
      expect(await visitor.get('/')).to.include(SIGN_IN_FIRST)
    })

    it('serves a user whose session is not renewed until the token ends', async () => {
      await visitor.post('/sign_in', { email: running.user.email, password: NEW })
      const requireAal2 = (isRequired: boolean) =>
        succeed(running.service.setApplication(CONTEXT, shop(), { requireAal2: isRequired }))
      await requireAal2(true)
      passHours(9 / 60)
      expect(await visitor.get('/')).to.include({ status: 200, cookies: 0 })
      passHours(2 / 60)
      expect(await visitor.get('/')).to.include({ ...SIGN_IN_FIRST, cookies: 1, age: 0 })
      expect(visitor.cookie()).to.equal('')
      await requireAal2(false)
    })

    /** Starts a sign-in in this browser. Returns the address that the browser comes back to, after this person signed in there. */
    const back = async (browser: ReturnType<typeof visitorOf>, person: Person, at = 0): Promise<string> => {
      const [name] = PROVIDERS[at] ?? []
      const started = await browser.post(`/sign_in/${name}`, {})
      expect(started).to.include({ status: 303, cookies: 1, age: 600 })
      return `/back/${name}${providers[at]?.signIn(started.location ?? '', person)}`
    }
    /** The session is kept, and the start is removed. */
    const SIGNED_IN = { status: 303, location: '/', cookies: 2, age: 43_200 }
    const bob = { id: 1, email: 'bob@example.com' }

    it('signs a user in at each provider that has a button', async () => {
      for (const [at, [name, label]] of PROVIDERS.entries()) {
        const browser = visitorOf(front.url)
        expect((await browser.get('/sign_in')).page).to.match(
          RegExp(`action="/sign_in/${name}">.*\\n.*Mit ${label} anmelden`),
        )
        const email = `${name}@example.com`
        expect(await browser.get(await back(browser, { id: 2, email }, at))).to.include(SIGNED_IN)
        expect((await browser.get('/')).page).to.include(email)
      }
    })

    it('signs in from two tabs of one browser', async () => {
      const browser = visitorOf(front.url)
      const tabs = [await back(browser, bob), await back(browser, bob)]
      for (const tab of tabs) expect(await browser.get(tab)).to.include(SIGNED_IN)
    })

    it('refuses the answer that another browser has started', async () => {
      const url = await back(visitorOf(front.url), bob)
      const victim = visitorOf(front.url)
      await back(victim, bob)
      const refused = await victim.get(url)
      expect(refused).to.include({ status: 422, cookies: 0 })
      expect(refused.texts).to.deep.equal({ alert: TEXTS.ended })
    })

    it('refuses an answer at the address of another provider', async () => {
      const browser = visitorOf(front.url)
      const url = await back(browser, bob)
      const refused = await browser.get(url.replace('google', 'github'))
      expect(refused.texts).to.deep.equal({ alert: TEXTS.ended })
      expect(await browser.get(url)).to.include(SIGNED_IN)
    })

    it('shows why a sign-in with a provider was refused, on a page that signs in', async () => {
      const browser = visitorOf(front.url)
      const { email } = credentials()
      const refused = await browser.get(await back(browser, { id: 3, email }))
      expect(refused).to.include({ status: 422, cookies: 1, age: 0 })
      expect(refused.texts).to.deep.equal({ alert: TEXTS.link_first })
      expect(refused.page).to.include('<form method="post" action="/sign_in">')
      const unknown = await browser.post('/sign_in/unknown', {})
      expect(unknown).to.include({ status: 422, cookies: 0 })
    })

    /** Reads the cookies of the front end. */
    const ownClient = () =>
      portcullis(
        {
          url: `http://127.0.0.1:${running.port}`,
          publicApiKey: running.keys.public_api_key,
          privateApiKey: running.keys.private_api_key,
        },
        { ...systemTime, now: () => time.now },
      )

    it('says that a second factor is due after a provider', async () => {
      const browser = visitorOf(front.url)
      const carol = { id: 4, email: 'carol@example.com' }
      await browser.get(await back(browser, carol))
      const { token } = await ownClient().cookies.read(browser.cookie())
      await factorDesk(running, () => time.now).enrol(token)
      const refused = await browser.get(await back(browser, carol))
      expect(refused).to.include({ status: 422, cookies: 1, age: 0 })
      expect(refused.texts).to.deep.equal({ alert: TEXTS.second_factor_due })
    })

    it('refuses a sign-in with a provider that another site starts', async () => {
      const refused = await visitor.post('/sign_in/google', {}, { 'sec-fetch-site': 'cross-site' })
      expect(refused).to.include({ status: 403, cookies: 0 })
    })

    it('sends a user to the sign-in when the session has ended, and removes the cookie', async () => {
      const signedIn = await visitor.post('/sign_in', { email: running.user.email, password: NEW })
      expect(signedIn).to.include({ status: 303 })
      expect(await visitor.get('/')).to.include({ status: 200 })
      await succeed(running.service.disableUser(CONTEXT, running.user.email))
      expect(await visitor.get('/')).to.include({ ...SIGN_IN_FIRST, cookies: 1, age: 0 })
      await succeed(running.service.enableUser(CONTEXT, running.user.email))
    })

    it('says so when the service does not answer, and keeps the cookie of an expired token', async () => {
      await visitor.post('/sign_in', { email: running.user.email, password: NEW })
      await running.stop()
      for (const hours of [0, 1]) {
        passHours(hours)
        const answer = await visitor.get('/')
        expect(answer).to.include({ status: 503, cookies: 0 })
        expect(answer.page).to.include('Bitte später noch einmal')
      }
    })
  })
}

import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { EventType } from '../../domain/event.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import { succeed } from '../support/outcome.ts'
import type { EnrolledUser } from '../support/second-factors.ts'
import { barrier } from '../support/waiting.ts'
import { browserDesk, hiddenIn, leadsTo, onceIn, SAME_ORIGIN } from './browser-desk.ts'
import { startTwoPages, type TwoPages, WAYS } from './two-pages.ts'

const SESSION = '__Host-portcullis'
const SECOND_FACTOR = '/account/second-factor'
const NEW = 'nine purple otters'

onEverySharedStore('two instances with pages', (stores) => {
  const { front, hold, release, overtake } = heldCommits()
  let both: TwoPages
  const clock = () => both.time.now
  beforeEach(async () => {
    both = await startTwoPages(stores, front, { SESSION_IDLE_TTL: '43200', SESSION_TTL: '86400' })
  })
  afterEach(async () => {
    release()
    await both.stop()
  })

  /** The sessions that the home page of the browser lists. */
  const listed = async (): Promise<number> => {
    const home = await both.browser.get('/account')
    expect(home.status).to.equal(200)
    return (home.html.match(/<h3 id="session-/g) ?? []).length
  }

  it('that start together make one application of the pages', async () => {
    const made = (await both.data('ApplicationRegistered')).filter(({ name }) => name === 'Account pages')
    expect(made).to.have.length(1)
  })

  it('know a session of the other one, until it ends there', async () => {
    await both.browser.signIn()
    const cookie = `${SESSION}=${both.browser.cookies.get(SESSION)}`
    both.turnTo('other')
    expect(await listed()).to.equal(1)
    await both.browser.post('/account/sign-out', {})
    for (const instance of ['one', 'other'] as const) {
      both.turnTo(instance)
      expect(leadsTo(await both.browser.get('/account', { cookie }))).to.deep.equal([303, '/account/sign-in'])
    }
  })

  const expectSessions = async (count: number): Promise<void> => {
    if (count === 0) expect(both.browser.cookies.size).to.equal(0)
    else expect(await listed()).to.equal(count)
  }

  describe('of which one shows a page in the second half of a session', () => {
    let cookie: string
    beforeEach(async () => {
      await both.browser.signIn()
      cookie = `${SESSION}=${both.browser.cookies.get(SESSION)}`
      both.time.now += 7 * 3_600_000
    })
    const at = <A>(instance: 'one' | 'other', send: () => Promise<A>): Promise<A> => {
      both.turnTo(instance)
      return send()
    }
    const show = () => both.browser.get('/account', { cookie })
    const signOut = () => both.browser.post('/account/sign-out', {}, { cookie })
    const expectEnded = async () =>
      expect(leadsTo(await both.pages.get('/account', { cookie }))).to.deep.equal([303, '/account/sign-in'])
    const renewals = async () => (await both.data('SessionRenewed')).length

    it('renew it once, if both show a page', async () => {
      hold('SessionRenewed', barrier(2))
      const answers = await Promise.all([at('one', show), at('other', show)])
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
      expect(await renewals()).to.equal(1)
    })

    it('end it, although it is renewed while a sign-out decides', async () => {
      const late = () => at('one', signOut)
      const out = await overtake({ late, writes: 'UserSignedOut' }, () => at('other', show))
      expect([leadsTo(out)[0], await renewals()]).to.deep.equal([303, 1])
      await expectEnded()
    })

    it('renew nothing that ends meanwhile, and set no cookie again', async () => {
      const late = () => at('one', show)
      const shown = await overtake({ late, writes: 'SessionRenewed' }, () => at('other', signOut))
      expect([shown.status, shown.headers['set-cookie'], await renewals()]).to.deep.equal([200, undefined, 0])
      await expectEnded()
    })

    it('replace it, although it is renewed while a sign-in decides', async () => {
      const late = () => at('one', () => both.browser.signIn())
      await overtake({ late, writes: 'UserSignedIn' }, () => at('other', show))
      expect(await renewals()).to.equal(1)
      await expectEnded()
    })
  })

  type Button = Readonly<{
    path: string
    to: string
    /** What both write at once. Nothing, if the second one needs not write. */
    writes?: EventType
    /** Comes before the form. */
    before?: (app: EnrolledUser | undefined) => Promise<unknown>
    form: (app: EnrolledUser | undefined) => Promise<Readonly<Record<string, string>>>
    /** How many sessions the person has afterwards, and how many there may be with both clicks at once. */
    sessions: number
    atOnce?: number
  }>

  const signIn = () => both.browser.signIn()
  /** Signs in with a code, and waits for the next one. */
  const signInWithCode = async (app: EnrolledUser | undefined) => {
    await signIn()
    await both.browser.post(SECOND_FACTOR, { totp: codeOf(app) })
    both.time.now += 60_000
  }
  const codeOf = (app: EnrolledUser | undefined) => app?.codeAt(both.time.now) ?? ''
  const withOther = async () => {
    await browserDesk(both.pages).signIn()
    await signIn()
  }
  const pending = { path: SECOND_FACTOR, to: '/account/password', sessions: 1 }
  const begin = () => both.browser.signIn({ continue: '/account/password' })
  const proof = async (name: 'totp' | 'recovery_code', value: string) => ({
    once: onceIn(await both.browser.get(SECOND_FACTOR)),
    continue: hiddenIn(await both.browser.get(SECOND_FACTOR), 'continue'),
    [name]: value,
  })
  const again = async (more: Readonly<Record<string, string>>) => {
    const page = await both.browser.get('/account/step-up?continue=/account/security')
    const [since, next] = [hiddenIn(page, 'since'), hiddenIn(page, 'continue')]
    return { once: onceIn(page), continue: next, ...(since !== '' && { since }), ...more }
  }

  const OF_ADA: Readonly<Record<string, Button>> = {
    'sign in': {
      path: '/account/sign-in',
      to: '/account',
      writes: 'UserSignedIn',
      form: async () => ({ email: both.pages.ada.email, password: both.pages.ada.password }),
      sessions: 1,
      atOnce: 2,
    },
    'change the password': {
      path: '/account/password',
      to: '/account?notice=password_changed',
      writes: 'PasswordChanged',
      before: withOther,
      form: async () => ({
        old_password: both.pages.ada.password,
        new_password: NEW,
        new_password_check: NEW,
      }),
      sessions: 1,
    },
    'step up with the password': {
      path: '/account/step-up',
      to: '/account/security',
      writes: 'SessionSteppedUp',
      before: signIn,
      form: () => again({ password: both.pages.ada.password }),
      sessions: 1,
    },
    'end another session': {
      path: '/account',
      to: '/account?notice=session_ended',
      writes: 'UserSignedOut',
      before: withOther,
      form: async () => ({
        step: 'end_session',
        session_id: hiddenIn(await both.browser.get('/account'), 'session_id'),
      }),
      sessions: 1,
    },
    'end all others': {
      path: '/account',
      to: '/account?notice=others_ended',
      writes: 'OtherSessionsEnded',
      before: withOther,
      form: async () => ({ step: 'end_others' }),
      sessions: 1,
    },
    'sign out': {
      path: '/account/sign-out',
      to: '/account/sign-in?notice=signed_out',
      writes: 'UserSignedOut',
      before: signIn,
      form: async () => ({}),
      sessions: 0,
    },
  }
  const WITH_APP: Readonly<Record<string, Button>> = {
    'complete the sign-in with a code': {
      ...pending,
      writes: 'FactorUsed',
      before: begin,
      form: (app) => proof('totp', codeOf(app)),
    },
    'complete the sign-in with a recovery code': {
      ...pending,
      writes: 'FactorUsed',
      before: begin,
      form: (app) => proof('recovery_code', app?.recoveryCodes[0] ?? ''),
    },
    'step up with a code': {
      path: '/account/step-up',
      to: '/account/security',
      writes: 'FactorUsed',
      before: signInWithCode,
      form: (app) => again({ totp: codeOf(app) }),
      sessions: 1,
    },
    'step up with a recovery code': {
      path: '/account/step-up',
      to: '/account/security',
      writes: 'FactorUsed',
      before: signInWithCode,
      form: (app) => again({ recovery_code: app?.recoveryCodes[0] ?? '' }),
      sessions: 1,
    },
  }

  const ALL = [
    ...Object.entries(OF_ADA).map(([name, button]) => ({ name, button, hasApp: false })),
    ...Object.entries(WITH_APP).map(([name, button]) => ({ name, button, hasApp: true })),
  ]
  for (const { name, button, hasApp } of ALL)
    for (const way of WAYS)
      it(`take two clicks to ${name} for one, the second one ${way}`, async () => {
        const { path, to, writes, before, form, sessions, atOnce = sessions } = button
        const app = hasApp ? await both.enrol() : undefined
        await before?.(app)
        const fields = await form(app)
        if (way === 'at once' && writes !== undefined) hold(writes, barrier(2))
        const answers = await both.twice(way, path, fields)
        release()
        expect(answers.map(leadsTo)).to.deep.equal([
          [303, to],
          [303, to],
        ])
        await expectSessions(way === 'after the first answer' ? sessions : atOnce)
        const { disagreements } = await succeed(checkLog({ ...both, clock, digests: nodeDigests }))
        expect(disagreements).to.deep.equal([])
      })

  // The instance remembers its answers itself, so one store tells all.
  for (const { name, button, hasApp } of stores.kind.name === 'SQLite' ? ALL : [])
    it(`take two clicks at once to ${name} for one, if one instance gets both`, async () => {
      const { path, to, before, form, sessions } = button
      const app = hasApp ? await both.enrol() : undefined
      await before?.(app)
      const fields = { once: 'x'.repeat(22), ...(await form(app)) }
      const [first, second] = await both.twice('at once', path, fields, 'one')
      expect(leadsTo(first)).to.deep.equal([303, to])
      expect(second.headers['set-cookie']).to.deep.equal(first.headers['set-cookie'])
      expect(leadsTo(second)).to.deep.equal([303, to])
      await expectSessions(sessions)
    })

  it('lead to the sign-in, if the browser never got the answer to the first of two codes', async () => {
    const app = await both.enrol()
    await both.browser.signIn({ continue: '/account/password' })
    const form = await proof('totp', codeOf(app))
    const cookie = `__Host-portcullis-2nd=${both.browser.cookies.get('__Host-portcullis-2nd')}`
    await both.pages.post(SECOND_FACTOR, form, { ...SAME_ORIGIN, cookie })
    both.turnTo('other')
    expect(leadsTo(await both.browser.post(SECOND_FACTOR, form))).to.deep.equal([303, '/account/password'])
    const to = '/account/sign-in?continue=%2Faccount%2Fpassword'
    expect(leadsTo(await both.browser.get('/account/password'))).to.deep.equal([303, to])
    expect((await both.browser.get(to)).html)
      .not.to.include('data-code')
      .and.not.to.include('Nothing was')
  })
})

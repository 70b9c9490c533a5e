import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { eventsOf } from '../support/events.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { gate } from '../support/waiting.ts'
import { faults } from './faults.ts'
import type { TestClient } from './openid-service.ts'
import { renewed, type SignedIn, signedInWith } from './signed-in.ts'
import {
  authorization,
  callbackOf,
  exchange,
  refresh,
  startTwoProviders,
  statusAt,
  type TwoProviders,
} from './two-providers.ts'

onEverySharedStore('requests at once at two OpenID providers on one store', (stores) => {
  const { front, overtake, release } = heldCommits()
  const { module, next, mend } = faults()
  let providers: TwoProviders
  let client: TestClient
  let signedIn: SignedIn

  before(async () => {
    providers = await startTwoProviders(stores, {
      front,
      environment: { USER_TOKEN_TTL: '600', SESSION_IDLE_TTL: '1800', SESSION_TTL: '43200' },
      modules: [module],
    })
    client = await providers.newClient('shop')
  })
  beforeEach(async () => {
    signedIn = await signedInWith(providers, await providers.newPerson(), client)
  })
  afterEach(async () => {
    release()
    mend()
    const { store, time } = providers
    const { disagreements } = await succeed(checkLog({ store, clock: () => time.now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  })
  after(() => providers.stop())

  /** Four requests at each instance, and the answer to the only one that succeeds. */
  const winnerOf8 = async (ask: (at: TwoProviders['one']) => Promise<Answer>): Promise<Answer> => {
    const { one, other } = providers
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(index % 2 ? one : other)))
    const [winner, ...more] = answers.filter(({ status }) => status === 200)
    expect([winner?.status, more.length]).to.deep.equal([200, 0])
    for (const { status, body } of answers.filter((answer) => answer !== winner))
      expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
    return winner as Answer
  }
  const statuses = async (token: string) => [
    await statusAt(providers.one, '/api/v1/profile', token),
    await statusAt(providers.other, '/api/v1/profile', token),
  ]
  const expectRefused = ({ status, body }: Answer) =>
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
  /** Who has ended the session of the client. */
  const endedBy = async () =>
    (await eventsOf(providers.store, 'UserSignedOut')).flatMap((entry) =>
      entry.type === 'UserSignedOut' && entry.data.session_id === signedIn.sessionId ? [entry.actor] : [],
    )
  const byClient = () => [{ kind: 'application', id: client.id }]

  /** At the other instance. */
  const signOut = () => signedIn.browser.turnTo(providers.other).post('/account/sign-out', {})
  const setPassword = () =>
    succeed(
      providers.other.service.setPassword(CONTEXT, {
        user: signedIn.person.email,
        password: 'nine purple otters',
      }),
    )

  describe('with one code', () => {
    it('give tokens once, and end its session, because it was used twice', async () => {
      const { body } = await winnerOf8((at) => exchange(at, client, signedIn.codes[0]))
      expect(await statuses(body.access_token)).to.deep.equal([401, 401])
      expectRefused(await refresh(providers.one, client, body.refresh_token))
      expectRefused(await exchange(providers.one, client, signedIn.codes[1]))
      expect(await endedBy()).to.deep.equal(byClient())
    })

    it('end its session if the second one comes later, at the other instance', async () => {
      const { body } = await exchange(providers.one, client, signedIn.codes[0])
      expect(await statuses(body.access_token)).to.deep.equal([200, 200])
      expectRefused(await exchange(providers.other, client, signedIn.codes[0]))
      expect(await statuses(body.access_token)).to.deep.equal([401, 401])
      expect(await endedBy()).to.deep.equal(byClient())
    })

    it('consume nothing if another client sends it', async () => {
      expectRefused(await exchange(providers.other, await providers.newClient('foreign'), signedIn.codes[0]))
      expect((await exchange(providers.one, client, signedIn.codes[0])).status).to.equal(200)
      expect(await endedBy()).to.deep.equal([])
    })
  })

  describe('with one refresh token', () => {
    it('give tokens once, and the session goes on', async () => {
      const { body } = await winnerOf8((at) => refresh(at, client, signedIn.refresh))
      expect(await statuses(body.access_token)).to.deep.equal([200, 200])
      expect((await refresh(providers.other, client, body.refresh_token)).status).to.equal(200)
      expect(await endedBy()).to.deep.equal([])
    })

    it('give tokens once while the session is renewed, too', async () => {
      providers.passSeconds(1_000)
      const { body } = await winnerOf8((at) => refresh(at, client, signedIn.refresh))
      expect(await statuses(body.access_token)).to.deep.equal([200, 200])
      expect(await endedBy()).to.deep.equal([])
    })

    for (const [seconds, hasEnded] of [
      [10, false],
      [12, true],
    ] as const)
      it(`${hasEnded ? '' : 'do not '}end the session if the second one comes ${seconds} seconds later`, async () => {
        const former = signedIn.refresh
        expect(await renewed(providers.one, signedIn)).to.equal(true)
        providers.passSeconds(seconds)
        expectRefused(await refresh(providers.other, client, former))
        expect(await statuses(signedIn.access)).to.deep.equal(hasEnded ? [401, 401] : [200, 200])
        expect(await renewed(providers.one, signedIn)).to.equal(!hasEnded)
        expect(await endedBy()).to.deep.equal(hasEnded ? byClient() : [])
      })

    it('end the session if a token from before the last one is used again', async () => {
      const first = signedIn.refresh
      for (const at of [...providers.both, ...providers.both]) {
        expect(await renewed(at, signedIn)).to.equal(true)
        providers.passSeconds(60)
      }
      expectRefused(await refresh(providers.one, client, first))
      expect(await statuses(signedIn.access)).to.deep.equal([401, 401])
    })
  })

  describe('of which one signs out', () => {
    const refreshAtOne = () => refresh(providers.one, client, signedIn.refresh)

    it('refuse a refresh that was decided before', async () => {
      providers.passSeconds(1_000) // a refresh then renews the session
      expectRefused(await overtake({ late: refreshAtOne, writes: 'SessionRenewed' }, signOut))
      expect(await endedBy()).to.have.lengthOf(1)
    })

    it('end a session that is refreshed meanwhile', async () => {
      providers.passSeconds(1_000)
      const fresh: Array<Answer> = []
      await overtake({ late: signOut, writes: 'UserSignedOut' }, async () => fresh.push(await refreshAtOne()))
      expect(fresh.map(({ status }) => status)).to.deep.equal([200])
      expect(await statuses(fresh[0]?.body.access_token)).to.deep.equal([401, 401])
      expectRefused(await refresh(providers.one, client, fresh[0]?.body.refresh_token))
    })

    for (const [what, late] of [
      ['a refresh', refreshAtOne],
      ['an exchange', () => exchange(providers.one, client, signedIn.codes[0])],
    ] as const)
      it(`leave no living token to ${what} that is about to write`, async () => {
        const at = gate()
        next('replace', async (run) => {
          await at.pass()
          return run()
        })
        const answer = late()
        await at.reached
        await signOut()
        at.open()
        const { status, body } = await answer
        expect(status).to.equal(200) // its answer was on the way when the session ended
        expect(await statuses(body.access_token)).to.deep.equal([401, 401])
        expectRefused(await refresh(providers.other, client, body.refresh_token))
      })
  })

  describe('of which one opens a session by single sign-on', () => {
    /** A sign-out writes the session of the pages, so nothing is opened through it. The others write the user: what is opened has ended already. */
    const ENDS: Readonly<
      Record<string, Readonly<{ end: () => Promise<unknown>; leadsTo: 'the page' | 'a dead one' }>>
    > = {
      'a sign-out': { end: () => signOut(), leadsTo: 'the page' },
      'a new password': {
        end: () => setPassword(),
        leadsTo: 'a dead one',
      },
      'a disabling': {
        end: () => succeed(providers.other.service.disableUser(CONTEXT, signedIn.person.email)),
        leadsTo: 'a dead one',
      },
    }
    for (const [what, { end, leadsTo }] of Object.entries(ENDS))
      it(`give no living code if ${what} overtakes it, but ${leadsTo}`, async () => {
        const blog = await providers.newClient('blog')
        const late = () => signedIn.browser.get(authorization(blog))
        const answer = callbackOf(await overtake({ late, writes: 'UserSignedIn' }, end))
        expect(answer.has('continue')).to.equal(leadsTo === 'the page')
        expect(answer.has('code')).to.equal(leadsTo === 'a dead one')
        for (const at of providers.both) expectRefused(await exchange(at, blog, answer.get('code') ?? 'none'))
      })

    it('open sessions that one sign-out ends, if both do', async () => {
      const blog = await providers.newClient('blog')
      const silently = authorization(blog, { prompt: 'none' })
      const answers = await Promise.all(providers.both.map((at) => signedIn.browser.turnTo(at).get(silently)))
      const tokens = await Promise.all(
        answers.map(async (answer) => {
          const { body } = await exchange(providers.one, blog, callbackOf(answer).get('code') ?? '')
          return String(body.access_token)
        }),
      )
      for (const token of tokens) expect(await statuses(token)).to.deep.equal([200, 200])
      await signOut()
      for (const token of tokens) expect(await statuses(token)).to.deep.equal([401, 401])
    })
  })

  it('lead to the page again if a new password comes between the page and the code', async () => {
    const browser = providers.newBrowser(signedIn.person)
    const page = callbackOf(await browser.get(authorization(client)))
    const { headers } = await browser.signIn({ continue: page.get('continue') ?? '' })
    const onward = /^0; url=(.*)$/.exec(String(headers.refresh))?.[1] ?? ''
    const { pathname, search } = new URL(onward, 'https://page.test')
    await setPassword()
    const answer = await browser.get(`${pathname}${search}`)
    expect([answer.status, callbackOf(answer).get('code')]).to.deep.equal([303, null])
    expect(String(answer.headers.location)).to.match(/^\/account\/sign-in\?/)
  })
})

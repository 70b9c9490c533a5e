import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'
import { barrier } from '../support/waiting.ts'

type Instance = Pick<TwoInstances['other'], 'send' | 'service'>
type User = Readonly<{ id: string; email: string; password: string }>

onEverySharedStore('vouched sign-ins that race at two instances', (stores) => {
  let both: TwoInstances
  let store: Store
  let portal: Readonly<{ id: string; token: string }>
  const { front, hold, overtake, release } = heldCommits()
  before(async () => {
    const lasting = await stores.lasting(front)
    store = lasting.store
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      {},
      ...lasting.modules,
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
  })
  beforeEach(async () => {
    const { service } = both.one
    const scope = 'users:vouch users:sign_in users:confirm_email'
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'portal', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    portal = { id: made.application.id, token }
  })
  afterEach(async () => {
    release()
    expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])
  })
  after(() => both.stop())

  let users = 0
  const register = async (emailVerified: boolean): Promise<User> => {
    users += 1
    const credentials = { email: `user-${users}@example.com`, password: 'p' }
    const { id } = await succeed(
      both.one.service.registerUser(CONTEXT, { ...credentials, emailVerified }, OPERATOR),
    )
    return { id, ...credentials }
  }
  const vouch = ({ send }: Instance, body: object) =>
    send({
      method: 'POST',
      path: '/api/v1/auth/user/vouched',
      token: portal.token,
      body: { method: 'fed', ...body },
    })
  const claim = (at: Instance, { email }: User) => vouch(at, { email, email_verified: true })
  const statuses = (token: string) =>
    Promise.all(
      [both.one, both.other].map(
        async ({ send }) => (await send({ method: 'GET', path: '/api/v1/profile', token })).status,
      ),
    )
  const count = async (type: EventType, { id }: User) =>
    (await eventsOf(store, type)).filter(({ subject }) => subject.id === id).length

  it('of many claims of one account, one is a claim, and all sign in', async () => {
    const user = await register(false)
    hold('AccountClaimed', barrier(2))
    const first = [claim(both.one, user), claim(both.other, user)]
    const answers = await Promise.all(first)
    release()
    const more = Array.from({ length: 10 }, (_, index) =>
      claim(index % 2 === 0 ? both.one : both.other, user),
    )
    for (const { status, body } of [...answers, ...(await Promise.all(more))]) {
      expect([status, body.user_id, body.email_verified]).to.deep.equal([200, user.id, true])
      expect(await statuses(body.token)).to.deep.equal([200, 200])
    }
    expect(await count('AccountClaimed', user)).to.equal(1)
    expect(await count('UserSignedIn', user)).to.equal(12)
  })

  /** What happens to an account between the decision of a claim and its write. */
  const MEANWHILE: ReadonlyArray<
    readonly [
      what: string,
      early: (at: Instance, user: User) => Promise<unknown>,
      verdict: readonly [status: number, code?: number],
      claims: number,
    ]
  > = [
    ['disabled', ({ service }, { email }) => succeed(service.disableUser(CONTEXT, email)), [422, 9], 0],
    ['removed', ({ service }, { email }) => succeed(service.removeUser(CONTEXT, email)), [422, 3], 0],
    ['claimed', (at, user) => claim(at, user), [200], 1],
    [
      'given a new password',
      ({ service }, { email }) => succeed(service.setPassword(CONTEXT, { user: email, password: 'evil' })),
      [200],
      1,
    ],
  ]
  for (const [what, early, [status, code], claims] of MEANWHILE)
    it(`a claim of an account that is ${what} meanwhile decides again`, async () => {
      const user = await register(false)
      const answer = await overtake({ late: () => claim(both.one, user), writes: 'AccountClaimed' }, () =>
        early(both.other, user),
      )
      expect([answer.status, answer.body.errors?.[0].code]).to.deep.equal([status, code])
      expect(await count('AccountClaimed', user)).to.equal(claims)
      if (status !== 200) return
      expect(await statuses(answer.body.token)).to.deep.equal([200, 200])
      const found = await succeed(store.findUser(user.id))
      expect(found).to.have.nested.property('value.passwordRecord', '')
    })

  const ENDINGS: ReadonlyArray<
    readonly [what: string, early: (at: Instance, user: User) => Promise<unknown>]
  > = [
    ['a disabling', ({ service }, { email }) => succeed(service.disableUser(CONTEXT, email))],
    ['a removal', ({ service }, { email }) => succeed(service.removeUser(CONTEXT, email))],
    ['the end of all sessions', ({ service }, { email }) => succeed(service.endUserSessions(CONTEXT, email))],
    ['an enrolment', (_, { id }) => enrolUser(store, id)],
    [
      'a new password',
      ({ service }, { email }) => succeed(service.setPassword(CONTEXT, { user: email, password: 'n' })),
    ],
    [
      'the revocation of its application',
      ({ service }) => succeed(service.revokeApplication(CONTEXT, portal.id)),
    ],
  ]
  for (const [what, early] of ENDINGS)
    it(`a sign-in that ${what} overtakes is dead on arrival`, async () => {
      const user = await register(true)
      const late = await overtake(
        { late: () => vouch(both.one, { user_id: user.id }), writes: 'UserSignedIn' },
        () => early(both.other, user),
      )
      expect(late.status).to.equal(200)
      expect(await statuses(late.body.token)).to.deep.equal([401, 401])
    })
})

import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { SESSIONS, sessionOf, sessionsAt } from '../support/sessions.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'
import { barrier, type Gate, gate } from '../support/waiting.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const SIGN_IN = '/api/v1/auth/user/token'
const RENEW = '/api/v1/auth/user/token/renew'
const CHANGE = '/api/v1/profile/change_password'
const TTL = 1_000
const PASSWORD = 'old'

/** A user with two sessions of one application. */
type Newcomer = Readonly<{
  id: string
  email: string
  applicationId: string
  /** The token of the application. */
  caller: string
  session: string
  other: string
}>

type Instance = TwoInstances['other']

/** What ends the session, at an instance, and the event that it writes. */
type Ending = Readonly<{ writes: EventType; end: (at: Instance, user: Newcomer) => Promise<unknown> }>

onEveryStore('a renewal that races, at two instances', (stores) => {
  let both: TwoInstances
  let store: Store
  /** Where changes of this type wait, between the decision and the write. */
  let held: Readonly<{ type: EventType; at: Gate }> | undefined

  before(async () => {
    const front = (inner: Store): Store => ({
      ...inner,
      commit: (change) => async () => {
        if (change.events.some(({ type }) => type === held?.type)) await held?.at.pass()
        return inner.commit(change)()
      },
    })
    const lasting = await stores.lasting(front)
    store = lasting.store
    both = await startTwoInstances(
      { url: lasting.environment.DATABASE_URL },
      { USER_TOKEN_TTL: `${TTL}`, SESSION_TTL: '5000' },
      ...lasting.modules,
      provide(Dependency.clock, () => () => NOW),
      provide(Dependency.steadyClock, () => async () => right(NOW)),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
  })
  beforeEach(() => {
    held = undefined
  })
  afterEach(() => held?.at.open())
  after(() => both.stop())

  const post = ({ send }: Instance, path: string, token: string, body: object = {}) =>
    send({ method: 'POST', path, token, body })
  const done = async (answer: Promise<Answer>) => expect((await answer).status).to.equal(200)

  let count = 0
  const newcomer = async (): Promise<Newcomer> => {
    const { service } = both.one
    count += 1
    const credentials = { email: `user-${count}@example.com`, password: PASSWORD }
    const { id } = await succeed(service.registerUser(CONTEXT, credentials, OPERATOR))
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }))
    const { token: caller } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const signIn = async (label: string): Promise<string> =>
      (await post(both.one, SIGN_IN, caller, { ...credentials, label })).body.token
    const [session, other] = [await signIn('Firefox'), await signIn('Chromium')]
    return { id, email: credentials.email, applicationId: made.application.id, caller, session, other }
  }
  const renew = ({ caller, session }: Newcomer, at: Instance = both.one) =>
    post(at, RENEW, caller, { token: session })

  /** Lets `late` decide, then runs `early` completely, then lets `late` write. */
  const overtake = async <A>(
    { late, writes }: Readonly<{ late: () => Promise<A>; writes: EventType }>,
    early: () => Promise<unknown>,
  ): Promise<A> => {
    const at = gate()
    held = { type: writes, at }
    const answer = late()
    await at.reached
    held = undefined // `early` may write the same type
    await early()
    at.open()
    return answer
  }

  const positions = async (type: EventType, ...subjects: ReadonlyArray<string>) =>
    (await eventsOf(store, type))
      .filter(({ subject }) => subjects.includes(subject.id))
      .map(({ position }) => position)
  const statuses = async (token: string) => [
    await sessionsAt(both.one).status(token),
    await sessionsAt(both.other).status(token),
  ]
  const expectAgreement = async () =>
    expect((await succeed(both.one.service.checkLog)).disagreements).to.deep.equal([])

  const changePassword = (at: Instance, token: string) =>
    done(post(at, CHANGE, token, { old_password: PASSWORD, new_password: 'new', new_password_check: 'new' }))
  const ENDINGS: Readonly<Record<string, Ending>> = {
    'a sign-out': {
      writes: 'UserSignedOut',
      end: ({ send }, { session }) => done(send({ method: 'DELETE', path: SIGN_IN, token: session })),
    },
    'its end by another session': {
      writes: 'UserSignedOut',
      end: async (at, { session, other }) =>
        done(post(at, `${SESSIONS}/end`, other, { session_id: await sessionOf(both.one, session) })),
    },
    'the end of all sessions but another': {
      writes: 'OtherSessionsEnded',
      end: (at, { other }) => done(post(at, `${SESSIONS}/end_others`, other)),
    },
    'a password change by another session': {
      writes: 'PasswordChanged',
      end: (at, { other }) => changePassword(at, other),
    },
    'a password that an operator sets': {
      writes: 'PasswordSet',
      end: ({ service }, { email }) =>
        succeed(service.setPassword(CONTEXT, { user: email, password: 'set' })),
    },
    'the end of all sessions': {
      writes: 'SessionsEnded',
      end: ({ service }, { email }) => succeed(service.endUserSessions(CONTEXT, email)),
    },
    'a disabling': {
      writes: 'UserDisabled',
      end: ({ service }, { email }) => succeed(service.disableUser(CONTEXT, email)),
    },
    'a removal': {
      writes: 'UserRemoved',
      end: ({ service }, { email }) => succeed(service.removeUser(CONTEXT, email)),
    },
    'the revocation of its token': {
      writes: 'UserSignedOut',
      end: ({ service }, { applicationId, session }) =>
        succeed(service.revokeToken(CONTEXT, applicationId, session)),
    },
    'the revocation of its application': {
      writes: 'ApplicationRevoked',
      end: ({ service }, { applicationId }) => succeed(service.revokeApplication(CONTEXT, applicationId)),
    },
  }

  for (const [where, instance] of [
    ['the same instance', () => both.one],
    ['the other instance', () => both.other],
  ] as const)
    describe(`against ${where}`, () => {
      for (const [what, { writes, end }] of Object.entries(ENDINGS)) {
        it(`is refused if ${what} overtakes it: nothing is written behind the end`, async () => {
          const user = await newcomer()
          const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
          const { status, body } = await overtake(late, () => end(instance(), user))
          expect([status, body.errors?.map(({ code }: { code: number }) => code)]).to.deep.equal([422, [2]])
          expect(await positions('SessionRenewed', user.id)).to.deep.equal([])
          expect(await statuses(user.session)).to.deep.equal([401, 401])
          await expectAgreement()
        })

        it(`is followed by ${what} that it overtakes: both tokens are refused`, async () => {
          const user = await newcomer()
          let renewed = ''
          await overtake({ late: () => end(instance(), user), writes }, async () => {
            const { status, body } = await renew(user)
            expect(status).to.equal(200)
            renewed = body.token
          })
          for (const token of [user.session, renewed]) expect(await statuses(token)).to.deep.equal([401, 401])
          expect((await renew({ ...user, session: renewed })).status).to.be.oneOf([401, 422])
          const [renewal = Number.NaN, ...more] = await positions('SessionRenewed', user.id)
          expect(more).to.deep.equal([])
          const [ended] = await positions(writes, user.id, user.applicationId)
          expect(ended).to.be.above(renewal)
          await expectAgreement()
        })
      }

      for (const [what, writes, change] of [
        ['its own password change', 'PasswordChanged', changePassword],
        [
          'its own end of all others',
          'OtherSessionsEnded',
          (at: Instance, token: string) => done(post(at, `${SESSIONS}/end_others`, token)),
        ],
      ] as const)
        for (const order of ['overtaken by', 'overtaking'] as const)
          it(`succeeds ${order} ${what}, as does the change`, async () => {
            const user = await newcomer()
            const renewing = () => renew(user)
            const changing = () => change(instance(), user.session)
            let answer: Answer | undefined
            if (order === 'overtaken by')
              answer = await overtake({ late: renewing, writes: 'SessionRenewed' }, changing)
            else
              await overtake({ late: changing, writes }, async () => {
                answer = await renewing()
              })
            expect([answer?.status, answer?.body.expires_in]).to.deep.equal([200, TTL])
            for (const token of [user.session, answer?.body.token])
              expect(await statuses(token)).to.deep.equal([200, 200])
            expect(await statuses(user.other)).to.deep.equal([401, 401])
            expect(await positions('SessionRenewed', user.id)).to.have.lengthOf(1)
            await expectAgreement()
          })
    })

  it('meets nineteen others that have decided, too: all return a token, and one is written', async () => {
    const user = await newcomer()
    held = { type: 'SessionRenewed', at: barrier(20) }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => renew(user, index % 2 === 0 ? both.one : both.other)),
    )
    for (const { status, body } of answers) {
      expect([status, body.expires_in]).to.deep.equal([200, TTL])
      expect(await statuses(body.token)).to.deep.equal([200, 200])
    }
    expect(await positions('SessionRenewed', user.id)).to.have.lengthOf(1)
    await expectAgreement()
  })

  it('is overtaken by a change of its application: it takes the new lifetimes', async () => {
    const user = await newcomer()
    const late = { late: () => renew(user), writes: 'SessionRenewed' } as const
    const { status, body } = await overtake(late, () =>
      succeed(both.other.service.setApplication(CONTEXT, user.applicationId, { userTokenTtl: 300 })),
    )
    expect([status, body.expires_in]).to.deep.equal([200, 300])
    expect(await statuses(body.token)).to.deep.equal([200, 200])
    await expectAgreement()
  })
})

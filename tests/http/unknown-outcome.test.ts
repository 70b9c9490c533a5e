import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Change, Store, StoreUnavailable } from '../../application/ports/store.ts'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/** The outcome of a commit, and whether its response arrives. */
type Fate = 'answered' | 'committed, answer lost' | 'not committed, answer lost' | 'not committed'

const LOST: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'the line went dead', outcome: 'unknown' }
const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'connection refused' }

const PASSWORD = 'correct horse'
const NEW = { new_password: 'new', new_password_check: 'new' }
const SIGN_IN = '/api/v1/auth/user/token'

/** A user with a session, or with a second factor. */
type User = Readonly<{ id: string; email: string; password: string; token: string }>
type TestRequest = Parameters<RunningService['send']>[0]

onMemory('a store whose response to a commit is lost', (stores) => {
  let store: Store
  let fates: Array<Fate>
  let afterwards: Fate
  let running: RunningService
  let tokens: Readonly<{ application: string; manager: string }>

  const commit = (change: Change) => async () => {
    const fate = fates.shift() ?? afterwards
    if (fate === 'answered') return store.commit(change)()
    if (fate === 'not committed') return left(AWAY)
    if (fate === 'committed, answer lost') await store.commit(change)()
    return left(LOST)
  }

  before(async () => {
    store = (await stores.lasting()).store
    fates = []
    afterwards = 'answered'
    running = await startService(
      {},
      provide(Dependency.storage, () => ({ store: { ...store, commit } })),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    tokens = {
      application: await running.applicationToken(),
      manager: await scopedToken(running, 'users:manage'),
    }
  })
  after(() => running.stop())

  let users = 0
  const newUser = async (): Promise<User> => {
    users += 1
    const credentials = { email: `user-${users}@example.com`, password: PASSWORD }
    const { id } = await succeed(running.service.registerUser(CONTEXT, credentials, OPERATOR))
    return { id, ...credentials, token: await running.userToken(credentials) }
  }
  const post = (path: string, token: string, body: object): TestRequest => ({
    method: 'POST',
    path,
    token,
    body,
  })
  const asApplication = (path: string, body: object) => post(path, tokens.application, body)
  const asManager = (path: string) => async () =>
    post(path, tokens.manager, { user_id: (await newUser()).id })
  const credentialsOf = ({ email, password }: User) => ({ email, password })

  /** Each operation that writes: its event, the status of its success, and a request of a new user. */
  const OPERATIONS: ReadonlyArray<
    readonly [what: string, event: EventType, status: number, prepare: () => Promise<TestRequest>]
  > = [
    [
      'application token',
      'ApplicationTokenIssued',
      200,
      async () => ({ method: 'POST', path: '/api/v1/auth/application/token', body: running.keys }),
    ],
    ['sign-in', 'UserSignedIn', 200, async () => asApplication(SIGN_IN, credentialsOf(await newUser()))],
    [
      'registration',
      'UserRegistered',
      201,
      async () => asApplication('/api/v1/users', { email: 'grace@example.com', password: 'compiler' }),
    ],
    [
      'change',
      'PasswordChanged',
      200,
      async () =>
        post('/api/v1/profile/change_password', (await newUser()).token, { old_password: PASSWORD, ...NEW }),
    ],
    ['end of sessions', 'SessionsEnded', 200, asManager('/api/v1/users/end_sessions')],
  ]

  let requests = 0
  /** Sends a request while the responses to its commits are lost as told, and returns what it wrote. */
  const attempt = async (
    sent: TestRequest,
    event: EventType,
    lost: ReadonlyArray<Fate>,
    then: Fate = 'answered',
  ) => {
    requests += 1
    const id = `request-${requests}`
    fates = [...lost]
    afterwards = then
    const answer = await running.send({ ...sent, headers: { 'x-request-id': id } })
    const unused = fates
    fates = []
    afterwards = 'answered'
    const noted = (await eventsOf(store, event)).filter(({ request_id }) => request_id === id)
    return { answer, unused, noted: noted.length }
  }

  for (const [operation, event, status, prepare] of OPERATIONS)
    it(`${operation}: 503 with an unknown outcome if every response is lost, and once ${status} if not`, async () => {
      const sent = await prepare()
      const failed = await attempt(sent, event, [], 'not committed, answer lost')
      expect([failed.answer.status, failed.answer.body]).to.deep.equal([503, UNKNOWN_OUTCOME])
      expect(failed.noted).to.equal(0)
      expect(lastingHeaders(failed.answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(UNKNOWN_OUTCOME).length),
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '5',
        'x-content-type-options': 'nosniff',
      })
      const lost = ['committed, answer lost', 'not committed, answer lost'] as const
      const { answer, unused, noted } = await attempt(sent, event, lost)
      expect([answer.status, unused, noted]).to.deep.equal([status, [], 1])
    })

  it('is not called again when it reports that nothing was written', async () => {
    const sent = asApplication(SIGN_IN, credentialsOf(await newUser()))
    const { answer, unused } = await attempt(sent, 'UserSignedIn', ['not committed', 'answered'])
    expect(answer.status).to.equal(503)
    expect(answer.body).to.include({ message: 'The store is not available now.', outcome: 'none' })
    expect(unused).to.deep.equal(['answered'])
  })
})

const UNKNOWN_OUTCOME = {
  success: false,
  code: 503,
  message:
    'The store failed during a write, and the outcome is unknown. The change was made completely or not at all. Check before you repeat the request.',
  outcome: 'unknown',
}

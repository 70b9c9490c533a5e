import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Change, Store, StoreUnavailable } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { enrolUser } from '../support/second-factors.ts'

/** She has a second factor. */
const MARY = { email: 'mary@example.com', password: 'correct horse' }

/** The outcome of a commit, and whether its response arrives. */
type Fate = 'answered' | 'committed, answer lost' | 'not committed, answer lost' | 'not committed'

const LOST: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'the line went dead', outcome: 'unknown' }
const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'connection refused' }

const OPERATIONS = [
  ['application token', 'ApplicationTokenIssued', 200],
  ['sign-in', 'UserSignedIn', 200],
  ['first step', 'SecondFactorRequested', 422],
  ['second step', 'UserSignedIn', 200],
  ['renewal', 'SessionRenewed', 200],
  ['step-up', 'SessionSteppedUp', 200],
  ['sign-out', 'UserSignedOut', 200],
  ['registration', 'UserRegistered', 201],
  ['change', 'PasswordChanged', 200],
  ['removal', 'UserRemoved', 200],
  ['disabling', 'UserDisabled', 200],
  ['end of sessions', 'SessionsEnded', 200],
] as const
type Operation = (typeof OPERATIONS)[number][0]

onMemory('a store whose response to a commit is lost', (stores) => {
  let store: Store
  let fates: Array<Fate>
  let afterwards: Fate
  let running: RunningService
  let tokens: Readonly<{ application: string; manager: string; user: string; pending: string }>

  const commit = (change: Change) => async () => {
    const fate = fates.shift() ?? afterwards
    if (fate === 'answered') return store.commit(change)()
    if (fate === 'not committed') return left(AWAY)
    if (fate === 'committed, answer lost') await store.commit(change)()
    return left(LOST)
  }

  beforeEach(async () => {
    store = (await stores.lasting()).store
    fates = []
    afterwards = 'answered'
    running = await startService(
      {},
      provide(Dependency.storage, () => ({ store: { ...store, commit } })),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    const application = await running.applicationToken()
    const { id } = await succeed(running.service.registerUser(CONTEXT, MARY, OPERATOR))
    await enrolUser(store, id, { recoveryCodes: ['one-code', 'another'] })
    const waiting = { method: 'POST', path: '/api/v1/auth/user/token', token: application, body: MARY }
    tokens = {
      application,
      manager: await scopedToken(running, 'users:manage'),
      user: await running.userToken(),
      pending: (await running.send(waiting)).body.second_factor.token,
    }
  })
  afterEach(() => running.stop())

  const attempt = (operation: Operation) => {
    const { application, manager, user, pending } = tokens
    const requests = {
      'application token': { method: 'POST', path: '/api/v1/auth/application/token', body: running.keys },
      'sign-in': {
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: application,
        body: { email: 'ada@example.com', password: 'correct horse' },
      },
      'first step': { method: 'POST', path: '/api/v1/auth/user/token', token: application, body: MARY },
      'second step': {
        method: 'POST',
        path: '/api/v1/auth/user/second_factor',
        token: application,
        body: { token: pending, recovery_code: 'one-code' },
      },
      renewal: {
        method: 'POST',
        path: '/api/v1/auth/user/token/renew',
        token: application,
        body: { token: user },
      },
      'step-up': {
        method: 'POST',
        path: '/api/v1/profile/step_up',
        token: user,
        body: { password: 'correct horse' },
      },
      'sign-out': { method: 'DELETE', path: '/api/v1/auth/user/token', token: user },
      registration: {
        method: 'POST',
        path: '/api/v1/users',
        token: application,
        body: { email: 'grace@example.com', password: 'compiler' },
      },
      change: {
        method: 'POST',
        path: '/api/v1/profile/change_password',
        token: user,
        body: { old_password: 'correct horse', new_password: 'new', new_password_check: 'new' },
      },
      removal: {
        method: 'POST',
        path: '/api/v1/profile/remove',
        token: user,
        body: { password: 'correct horse' },
      },
      disabling: {
        method: 'POST',
        path: '/api/v1/users/disable',
        token: manager,
        body: { user_id: running.user.id },
      },
      'end of sessions': {
        method: 'POST',
        path: '/api/v1/users/end_sessions',
        token: manager,
        body: { user_id: running.user.id },
      },
    }
    return running.send({ ...requests[operation], headers: { 'x-request-id': 'this-one' } })
  }

  const notedOf = async (...types: Parameters<typeof eventsOf>[1][]) =>
    (await eventsOf(store, ...types)).filter(({ request_id }) => request_id === 'this-one')

  for (const [operation, event, status] of OPERATIONS) {
    for (const lost of [
      ['committed, answer lost'],
      ['not committed, answer lost'],
      ['not committed, answer lost', 'committed, answer lost'],
      ['committed, answer lost', 'not committed, answer lost'],
    ] as const) {
      it(`${operation}: ${lost.join(', then ')}: the client gets its ${status}, and the change is made once`, async () => {
        fates = [...lost]
        const answer = await attempt(operation)
        expect(answer.status).to.equal(status)
        expect(fates).to.deep.equal([])
        expect(await notedOf(event)).to.have.length(1)
      })
    }

    it(`${operation}: 503 with an unknown outcome when every response is lost`, async () => {
      afterwards = 'not committed, answer lost'
      const answer = await attempt(operation)
      afterwards = 'answered'
      expect(answer.status).to.equal(503)
      expect(answer.body).to.deep.equal(UNKNOWN_OUTCOME)
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(UNKNOWN_OUTCOME).length),
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '5',
        'x-content-type-options': 'nosniff',
      })
      expect(await notedOf(event)).to.deep.equal([])
    })

    it(`${operation}: 503 with an unknown outcome when a response is lost and the store then fails`, async () => {
      fates = ['committed, answer lost']
      afterwards = 'not committed'
      const answer = await attempt(operation)
      afterwards = 'answered'
      expect(await notedOf(event), 'it was made').to.have.length(1)
      expect(answer.status).to.equal(503)
      expect(answer.body).to.deep.equal(UNKNOWN_OUTCOME)
    })
  }

  it('is not called again when it reports that nothing was written', async () => {
    fates = ['not committed', 'answered']
    const answer = await attempt('sign-in')
    expect(answer.status).to.equal(503)
    expect(answer.body).to.include({ message: 'The store is not available now.', outcome: 'none' })
    expect(fates).to.deep.equal(['answered'])
  })

  it('keeps a committed change whole: the new password works and the old one does not', async () => {
    fates = ['committed, answer lost']
    expect((await attempt('change')).status).to.equal(200)
    const signIn = (password: string) =>
      running.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: tokens.application,
        body: { email: 'ada@example.com', password },
      })
    expect((await signIn('new')).status).to.equal(200)
    expect((await signIn('correct horse')).status).to.equal(422)
  })
})

const UNKNOWN_OUTCOME = {
  success: false,
  code: 503,
  message:
    'The store failed during a write, and the outcome is unknown. The change was made completely or not at all. Check before you repeat the request.',
  outcome: 'unknown',
}

import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { gate } from '../support/waiting.ts'

const CREDENTIALS = { email: 'ada@example.com', password: 'correct horse' }
const CHANGE = { old_password: 'correct horse', new_password: 'new', new_password_check: 'new' }

/** The operations that write, read or hash, with their routes and the tokens they require. */
const OPERATIONS = {
  'application token': { method: 'POST', path: '/api/v1/auth/application/token', by: 'no token' },
  'sign-in': { method: 'POST', path: '/api/v1/auth/user/token', by: 'application' },
  profile: { method: 'GET', path: '/api/v1/profile', by: 'user' },
  change: { method: 'POST', path: '/api/v1/profile/change_password', by: 'user' },
} as const
type Operation = keyof typeof OPERATIONS

describe('an internal failure', () => {
  const failed: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'a secret of the disk' }
  let broken: 'nothing' | 'commits' | 'reads'
  let turn: () => Promise<HashingRefused | undefined>
  let running: RunningService
  let tokens: Readonly<{ application: string; user: string }>

  const fragile = (): Store => {
    const store = memoryStore()
    const unlessReads = <A extends unknown[], T>(read: (...all: A) => T) =>
      ((...all: A) => (broken === 'reads' ? async () => left(failed) : read(...all))) as typeof read
    return {
      ...store,
      commit: (change) => (broken === 'nothing' ? store.commit(change) : async () => left(failed)),
      findApplication: unlessReads(store.findApplication),
      findSession: unlessReads(store.findSession),
      findTokenHolder: unlessReads(store.findTokenHolder),
      findUser: unlessReads(store.findUser),
      findUserByEmail: unlessReads(store.findUserByEmail),
    }
  }

  beforeEach(async () => {
    broken = 'nothing'
    turn = async () => undefined
    running = await startService(
      {},
      provide(Dependency.storage, () => ({ store: fragile() })),
      provide(Dependency.passwordHasher, () => plainHasher(() => turn())),
    )
    tokens = {
      application: await running.applicationToken(),
      user: await running.userToken(),
    }
  })
  afterEach(() => running.stop())

  const attempt = (operation: Operation) => {
    const { method, path, by } = OPERATIONS[operation]
    const bodies = {
      'application token': running.keys,
      'sign-in': CREDENTIALS,
      change: CHANGE,
    }
    return running.send({
      method,
      path,
      ...(by === 'no token' ? {} : { token: tokens[by] }),
      ...(operation in bodies ? { body: bodies[operation as keyof typeof bodies] } : {}),
    })
  }
  const events = () => succeed(running.service.store.readEvents({ after: 0, limit: 100 }))

  const expectUntouched = async (before: Awaited<ReturnType<typeof events>>) => {
    expect(await events()).to.deep.equal(before)
    expect((await attempt('profile')).status).to.equal(200)
    expect((await attempt('sign-in')).status).to.equal(200)
  }

  // Each use case is tested with a full store in tests/application. The wire says so in one way.
  for (const operation of ['application token', 'sign-in', 'change'] as const) {
    it(`${operation}: 503 when the store cannot write, and nothing changes`, async () => {
      const before = await events()
      broken = 'commits'
      const answer = await attempt(operation)
      broken = 'nothing'
      expect(answer.status).to.equal(503)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 503,
        message: 'The store is not available now.',
        outcome: 'none',
      })
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(answer.body).length),
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '5',
        'x-content-type-options': 'nosniff',
      })
      await expectUntouched(before)
    })
  }

  for (const operation of ['application token', 'sign-in', 'profile', 'change'] as const) {
    it(`${operation}: 503 and not 401 when the store cannot read`, async () => {
      const before = await events()
      broken = 'reads'
      const answer = await attempt(operation)
      broken = 'nothing'
      expect([answer.status, answer.body.outcome]).to.deep.equal([503, 'none'])
      expect(answer.headers['retry-after']).to.equal('5')
      expect(answer.headers['www-authenticate']).to.equal(undefined)
      await expectUntouched(before)
    })
  }

  for (const operation of ['sign-in', 'change'] as const) {
    it(`${operation}: 503 when the hashing queue is full`, async () => {
      const before = await events()
      turn = async () => ({ _tag: 'Overloaded', retryAfterSeconds: 7 })
      const answer = await attempt(operation)
      turn = async () => undefined
      expect(answer.status).to.equal(503)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 503,
        message: 'The server is overloaded. Try again later.',
        outcome: 'none',
      })
      expect(answer.headers['retry-after']).to.equal('7')
      await expectUntouched(before)
    })
  }

  it('change: 503 when the old password is verified and the new one cannot be hashed', async () => {
    const before = await events()
    const work = [async () => undefined, async () => ({ _tag: 'Overloaded', retryAfterSeconds: 1 }) as const]
    turn = async () => work.shift()?.()
    const answer = await attempt('change')
    turn = async () => undefined
    expect(answer.status).to.equal(503)
    await expectUntouched(before)
  })

  it('does not delay other requests while one waits for hashing', async () => {
    const held = gate()
    turn = held.pass
    const waiting = attempt('sign-in')
    await held.reached
    expect((await attempt('profile')).status).to.equal(200)
    expect((await attempt('application token')).status).to.equal(200)
    held.open()
    expect((await waiting).status).to.equal(200)
  })
})

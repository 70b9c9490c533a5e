import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Change, Store, StoreUnavailable } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import type { Answer, Sent } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { BEGINNING, statusesOf } from '../support/throttled-service.ts'
import { startTwoInstances } from '../support/two-instances.ts'

const LIMIT = { THROTTLE_REGISTRATIONS: '3' }
const HOUR = 3_600
const ADDRESS = '192.0.2.1'

/** Sends registrations, each of another user unless the body says otherwise. */
const registering = (send: (request: Sent) => Promise<Answer>, token: string) => {
  let users = 0
  return (address: string | null = ADDRESS, body: object = {}, as = token): Promise<Answer> => {
    users += 1
    return send({
      method: 'POST',
      path: '/api/v1/users',
      token: as,
      body: { email: `user-${users}@example.com`, password: 'battery staple', ...body },
      headers: address === null ? {} : { 'x-end-user-address': address },
    })
  }
}

onMemory('registrations with X-End-User-Address, with a limit of three an hour', (stores) => {
  let now = BEGINNING
  let store: Store
  let commit: Store['commit']
  let running: RunningService
  let register: ReturnType<typeof registering>
  beforeEach(async () => {
    const modules = await stores.behind((inner) => {
      store = inner
      commit = inner.commit
      return { ...inner, commit: (change: Change) => commit(change) }
    })
    running = await startService(
      LIMIT,
      ...modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    register = registering(running.send, await running.applicationToken())
  })
  afterEach(() => running.stop())

  it('get 429 with Retry-After after three users, until the hour is over', async () => {
    expect(await statusesOf(3, () => register())).to.deep.equal([201, 201, 201])
    now += 600_000
    const refused = await register()
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, String(HOUR - 600)])
    expect(refused.body).to.deep.equal({
      success: false,
      code: 429,
      message:
        'Too many users were registered from the network of this end user. Try again after the number of seconds in Retry-After.',
    })
    now += (HOUR - 600) * 1000
    expect(await statusesOf(4, () => register())).to.deep.equal([201, 201, 201, 429])
  })

  it('count for one network and one application, and not without the header', async () => {
    expect(await statusesOf(4, () => register('2001:db8::1'))).to.deep.equal([201, 201, 201, 429])
    expect((await register('2001:db8::2')).status).to.equal(429)
    expect((await register('192.0.2.2')).status).to.equal(201)
    const other = await scopedToken(running, 'users:register')
    expect((await register('2001:db8::1', {}, other)).status).to.equal(201)
    expect(await statusesOf(5, () => register(null))).to.deep.equal([201, 201, 201, 201, 201])
  })

  it('count only if they are answered 201', async () => {
    const taken = { email: running.user.email }
    expect(await statusesOf(5, () => register(ADDRESS, taken))).to.deep.equal([422, 422, 422, 422, 422])
    expect(await statusesOf(5, () => register(ADDRESS, { email: 'x' }))).to.deep.equal(Array(5).fill(422))
    commit = () => async () => left({ _tag: 'StoreUnavailable', reason: 'full' })
    const answers = [await register(), await register(), await register(), await register()]
    expect(answers.map(({ status, body }) => [status, body.outcome])).to.deep.equal(
      Array(4).fill([503, 'none']),
    )
    commit = store.commit
    expect(await statusesOf(4, () => register())).to.deep.equal([201, 201, 201, 429])
  })

  it('count if the outcome is unknown, because the user may be registered', async () => {
    const lost: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'lost', outcome: 'unknown' }
    commit = () => async () => left(lost)
    const answer = await register()
    expect([answer.status, answer.body.outcome]).to.deep.equal([503, 'unknown'])
    commit = store.commit
    expect(await statusesOf(3, () => register())).to.deep.equal([201, 201, 429])
  })

  it('are judged without a password hash: without a field 422, otherwise 429', async () => {
    await statusesOf(3, () => register())
    expect((await register(ADDRESS, { password: '' })).status).to.equal(422)
    expect((await register(ADDRESS, { email: 'x' })).status).to.equal(429)
  })

  it('check the header: 400 for anything else than an address', async () => {
    expect((await register('nowhere')).status).to.equal(400)
  })

  it('are three if forty are sent at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => register()))
    expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(3)
    expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(37)
  })

  it('that are refused are in the event log, without codes', async () => {
    await statusesOf(4, () => register())
    const noted = await eventually('one entry', async () => {
      const entries = await eventsOf(store, 'RegistrationRefused')
      return entries.length === 1 ? entries[0] : undefined
    })
    const application = { kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) }
    expect(noted).to.deep.include({ subject: application, actor: application, data: { codes: [] } })
  })

  it('do not concern operators', async () => {
    await statusesOf(4, () => register())
    const context = { ...CONTEXT, endUserAddress: ADDRESS }
    const ada = { email: 'operator@example.com', password: 'p' }
    await succeed(running.service.registerUser(context, ada, { kind: 'operator' }))
  })
})

onEverySharedStore('registrations at two instances, with a limit of three an hour', (stores) => {
  it('are counted together, also if forty are sent at once', async () => {
    const { DATABASE_URL: url } = await stores.fresh()
    const both = await startTwoInstances({ url }, LIMIT)
    const token = await both.one.applicationToken()
    const register = registering(both.one.send, token)
    const registerThere = registering(both.other.send, token)
    const there = (each: number) => registerThere(ADDRESS, { email: `there-${each}@example.com` })
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, each) => (each % 2 === 0 ? register() : there(each))),
      )
      expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(3)
      expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(37)
      expect([(await register()).status, (await there(99)).status]).to.deep.equal([429, 429])
    } finally {
      await both.stop()
    }
  }).timeout(60_000)
})

describe('registrations without a limit', () => {
  it('are taken as often as an application sends them', async () => {
    const running = await startService(
      {},
      provide(Dependency.passwordHasher, () => plainHasher()),
    )
    const register = registering(running.send, await running.applicationToken())
    expect(new Set(await statusesOf(100, () => register()))).to.deep.equal(new Set([201]))
    await running.stop()
  })
})

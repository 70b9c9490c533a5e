import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Change, Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { gate } from '../support/waiting.ts'

const TYPES = ['ApplicationTokenRefused', 'SignInRefused', 'PasswordChangeRefused'] as const
const REASONS = {
  ApplicationTokenRefused: 'malformed_key',
  SignInRefused: 'missing_field',
  PasswordChangeRefused: 'invalid_fields',
}
const START = Date.parse('2026-11-20T12:00:00Z')
const RECORDED_PER_SUBJECT = 10

onMemory('recording refusals', (stores) => {
  let store: Store
  let running: RunningService
  let commit: (change: Change) => ReturnType<Store['commit']>
  let now: number
  let tokens: Readonly<{ application: string; user: string }>
  beforeEach(async () => {
    now = START
    store = (await stores.lasting()).store
    commit = store.commit
    running = await startService(
      {},
      provide(Dependency.storage, () => ({
        store: { ...store, commit: (change: Change) => commit(change) },
      })),
      provide(Dependency.clock, () => () => now),
    )
    tokens = { application: await running.applicationToken(), user: await running.userToken() }
  })
  afterEach(() => running.stop())

  /** Causes one refusal of each type. */
  const refuseEach = (): Promise<ReadonlyArray<Answer>> =>
    Promise.all([
      running.send({
        method: 'POST',
        path: '/api/v1/auth/application/token',
        body: { public_api_key: 'pk_x', private_api_key: 'sk_x' },
      }),
      running.send({ method: 'POST', path: '/api/v1/auth/user/token', token: tokens.application }),
      running.send({ method: 'POST', path: '/api/v1/profile/change_password', token: tokens.user }),
    ])

  const expectRefused = (answers: ReadonlyArray<Answer>) =>
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 422, 422])

  const summaries = async () =>
    (await eventsOf(store, 'RefusalsSummarized')).map(({ subject, actor, request_id, data }) => ({
      subject,
      actor,
      request_id,
      data,
    }))

  const summary = (type: (typeof TYPES)[number], count: number, from: string, to: string) => ({
    subject: { kind: 'service', id: 'portcullis' },
    actor: { kind: 'nobody' },
    request_id: undefined,
    data: {
      type,
      count,
      from,
      to,
      reasons: [{ reason: REASONS[type], count }],
      subjects: type === 'PasswordChangeRefused' ? [{ id: running.user.id, count }] : [],
    },
  })

  it('does not delay responses', async () => {
    const held = gate(TYPES.length)
    commit = (change) => async () => {
      await held.pass()
      return store.commit(change)()
    }
    expectRefused(await refuseEach())
    expect(await eventsOf(store, ...TYPES)).to.deep.equal([])
    await held.reached
    held.open()
    await running.service.stop()
    expect((await eventsOf(store, ...TYPES)).map(({ type }) => type)).to.have.members([...TYPES])
  })

  it('that fails in the store does not turn responses into 503 and is summarized after the store recovers', async () => {
    commit = () => async () => left({ _tag: 'StoreUnavailable', reason: 'the disk is full' })
    for (let time = 0; time < 3; time += 1) {
      now = START + time * 1000
      expectRefused(await refuseEach())
    }
    now = START + 3_000
    const healthy = await running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: running.keys,
    })
    expect(healthy.status, 'the store takes nothing').to.equal(503)
    commit = store.commit
    await running.service.stop()
    expect(await eventsOf(store, ...TYPES)).to.deep.equal([])
    expect(await summaries()).to.have.deep.members(
      TYPES.map((type) => summary(type, 3, '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:02.000Z')),
    )
  })

  it('records ten a minute for each subject, counts the rest exactly and summarizes it on stop', async () => {
    const first = await Promise.all(Array.from({ length: RECORDED_PER_SUBJECT }, refuseEach))
    for (const answers of first) expectRefused(answers)
    for (let time = 0; time < 17; time += 1) {
      now = START + 6_000 + time * 100
      expectRefused(await refuseEach())
    }
    expect(await summaries()).to.deep.equal([])
    await running.service.stop()
    for (const type of TYPES) expect(await eventsOf(store, type), type).to.have.length(RECORDED_PER_SUBJECT)
    expect(await summaries()).to.have.deep.members(
      TYPES.map((type) => summary(type, 17, '2026-11-20T12:00:06.000Z', '2026-11-20T12:00:07.600Z')),
    )
  })

  it('limits each type separately', async () => {
    const refuseToken = () =>
      running.send({
        method: 'POST',
        path: '/api/v1/auth/application/token',
        body: { public_api_key: 'pk_x', private_api_key: 'sk_x' },
      })
    await Promise.all(Array.from({ length: RECORDED_PER_SUBJECT + 1 }, refuseToken))
    expectRefused(await refuseEach())
    await running.service.stop()
    expect(await eventsOf(store, 'ApplicationTokenRefused')).to.have.length(RECORDED_PER_SUBJECT)
    expect(await eventsOf(store, 'SignInRefused')).to.have.length(1)
    expect(await eventsOf(store, 'PasswordChangeRefused')).to.have.length(1)
    const at = '2026-11-20T12:00:00.000Z'
    expect(await summaries()).to.deep.equal([summary('ApplicationTokenRefused', 2, at, at)])
  })

  it('writes no summary when all refusals are recorded', async () => {
    expectRefused(await refuseEach())
    await running.service.stop()
    expect(await eventsOf(store, ...TYPES)).to.have.length(TYPES.length)
    expect(await summaries()).to.deep.equal([])
  })
})

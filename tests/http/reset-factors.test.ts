import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { FACTOR_SETTINGS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

const PATH = '/api/v1/users/reset_factors'
const START = Date.parse('2026-11-20T12:00:15Z')
const NO_USER = '0192f1a6-0000-7000-8000-000000000001'

onMemory(`POST ${PATH}`, (stores) => {
  let store: Store
  let running: RunningService
  let now: number
  let support: string
  beforeEach(async () => {
    now = START
    const lasting = await stores.lasting()
    store = lasting.store
    running = await startService(
      { ...lasting.environment, ...FACTOR_SETTINGS },
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
    support = await scopedToken(running, 'users:reset_factors')
  })
  afterEach(() => running.stop())

  const desk = () => factorDesk(running, () => now)
  const reset = (token: string, body: object) => running.send({ method: 'POST', path: PATH, token, body })
  const newUser = async () => {
    const user = await verifiedUser(running)
    return { user, token: await running.userToken(user) }
  }
  const expectAgreement = async () => {
    const { disagreements } = await succeed(checkLog({ store, clock: () => now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  }

  it('a reset needs its scope, ends sessions, is in the log with its actor, 61 an hour get 429', async () => {
    const { user, token } = await newUser()
    const { answer } = await desk().enrol(token)
    const factorIds = (await succeed(store.listFactors(user.id))).map(({ id }) => id)
    expect(factorIds).to.include(answer.body.id).and.have.length(2)
    const others = 'users:sign_in users:register users:recover users:confirm_email users:read users:manage'
    for (const refused of [await scopedToken(running, others), token])
      expect((await reset(refused, { user_id: user.id })).status).to.equal(403)
    expect((await running.applicationToken()).length, 'the scope is no default').to.be.above(0)
    expect((await reset(await running.applicationToken(), { user_id: user.id })).status).to.equal(403)
    expect(await sessionsAt(running).status(token)).to.equal(200)

    const { status, body } = await reset(support, { user_id: user.id })
    expect([status, body.success, body.code]).to.deep.equal([200, true, 100])
    expect(await sessionsAt(running).status(token)).to.equal(401)
    expect(await succeed(store.listFactors(user.id))).to.deep.equal([])
    const [entry, ...more] = await eventsOf(store, 'FactorsReset')
    expect(more).to.deep.equal([])
    expect(entry?.subject).to.deep.equal({ kind: 'user', id: user.id })
    expect(entry?.actor).to.deep.equal({ kind: 'application', id: claimsOf(support).sub })
    expect(entry?.data).to.have.deep.property('factor_ids', factorIds)
    const rows = await succeed(store.listRows({ table: 'factors', after: '', limit: 10 }))
    for (const { material, name, removed } of rows)
      expect([material, name, removed]).to.deep.equal(['', '', true])

    for (let count = 2; count <= 60; count += 1)
      expect((await reset(support, { user_id: user.id })).status, 'without factors').to.equal(200)
    now += 60_000
    const throttled = await reset(support, { user_id: user.id })
    expect([throttled.status, throttled.headers['retry-after']]).to.deep.equal([429, '3540'])
    const other = await scopedToken(running, 'users:reset_factors')
    expect((await reset(other, { user_id: user.id })).status, 'another application').to.equal(200)
    now += 3_540_000
    expect((await reset(support, { user_id: user.id })).status, 'the next hour').to.equal(200)
    await expectAgreement()
  })

  it('reports a missing and an unknown user, which do not count', async () => {
    const { user } = await newUser()
    await succeed(running.service.removeUser({}, user.email))
    for (let count = 1; count <= 61; count += 1) {
      const { status, body } = await reset(support, count % 2 === 0 ? {} : { user_id: NO_USER })
      expect([status, body.errors[0].code, body.errors[0].param]).to.deep.equal([
        422,
        count % 2 === 0 ? 1 : 2,
        'user_id',
      ])
    }
    expect((await reset(support, { user_id: user.id })).body.errors[0].code, 'a removed user').to.equal(2)
    expect(await eventsOf(store, 'FactorsReset')).to.deep.equal([])
  })

  it('lets the user enrol again, and clears the count of wrong codes', async () => {
    const { user, token } = await newUser()
    const stepUp = (bearer: string, totp: string) =>
      running.send({ method: 'POST', path: '/api/v1/profile/step_up', token: bearer, body: { totp } })
    const { secret } = await desk().enrol(token)
    for (let count = 1; count <= 5; count += 1)
      expect((await stepUp(token, totpAt(secret, now, 10))).status).to.equal(422)
    expect((await stepUp(token, totpAt(secret, now, 10))).status).to.equal(429)
    expect((await reset(support, { user_id: user.id })).status).to.equal(200)
    const signedIn = await running.userToken(user)
    const again = await desk().enrol(signedIn)
    expect([again.answer.status, again.answer.body.recovery_codes?.length]).to.deep.equal([201, 10])
    expect((await stepUp(signedIn, totpAt(again.secret, now, 10))).status).to.equal(422)
    await expectAgreement()
  })

  it('works with SECOND_FACTORS=off, and for a disabled user', async () => {
    const { user } = await newUser()
    await succeed(running.service.disableUser({}, user.email))
    expect((await reset(support, { user_id: user.id })).status).to.equal(200)
    await expectAgreement()
  })
})

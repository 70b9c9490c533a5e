import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

onMemory('an attack behind sixty requests without API keys', (stores) => {
  let store: Store
  let running: RunningService
  before(async () => {
    store = (await stores.lasting()).store
    running = await startService(
      {},
      provide(Dependency.storage, () => ({ store: store })),
      provide(Dependency.clock, () => () => NOW),
    )
  })
  after(() => running.stop())

  it('is recorded in the event log, and the summary counts it', async () => {
    const { privateApiKey } = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    const issue = async (body: object): Promise<number> =>
      (await running.send({ method: 'POST', path: '/api/v1/auth/application/token', body })).status
    for (let empty = 0; empty < 60; empty += 1) expect(await issue({})).to.equal(422)
    const wrong = { ...running.keys, private_api_key: privateApiKey }
    for (let guess = 0; guess < 20; guess += 1) expect(await issue(wrong)).to.equal(401)
    await running.service.stop()

    const id = running.keys.public_api_key.slice('pk_'.length)
    const refusals = await eventsOf(store, 'ApplicationTokenRefused')
    expect(refusals.map(({ subject, data }) => ({ id: subject.id, data }))).to.deep.equal([
      ...Array(10).fill({ id: 'portcullis', data: { reason: 'missing_field' } }),
      ...Array(10).fill({ id, data: { reason: 'wrong_private_key' } }),
    ])
    const at = '2026-11-20T12:00:00.000Z'
    expect(
      (await eventsOf(store, 'RefusalsSummarized')).map(({ version, data }) => ({ version, data })),
    ).to.deep.equal([
      {
        version: 1,
        data: {
          type: 'ApplicationTokenRefused',
          count: 60,
          from: at,
          to: at,
          reasons: [
            { reason: 'missing_field', count: 50 },
            { reason: 'wrong_private_key', count: 10 },
          ],
          subjects: [{ id, count: 10 }],
        },
      },
    ])
  })
})

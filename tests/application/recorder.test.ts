import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { memoryStore } from '../../adapters/memory/store.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Store } from '../../application/ports/store.ts'
import { cannotMeet, recorder } from '../../application/recorder.ts'
import { fail, succeed } from '../support/outcome.ts'
import { countingRandom, settableClock, uuid } from './fakes.ts'
import { allEvents, NOW } from './world.ts'

const user = { id: 'ada', email: 'ada@example.com', passwordRecord: 'record', passwordVersion: 1 }

describe('what is recorded', () => {
  it('stands in the log with the time, the actor and the request', async () => {
    const store = memoryStore()
    const record = recorder(store, settableClock(NOW).read, countingRandom(), nodeDigests)
    const call = { requestId: 'request-9', wanted: () => true }
    await succeed(record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, call))
    expect(await allEvents(store)).to.deep.equal([
      {
        position: 1,
        id: uuid(1),
        type: 'UserRegistered',
        version: 1,
        at: NOW,
        subject: { kind: 'user', id: 'ada' },
        actor: { kind: 'operator' },
        request_id: 'request-9',
        // SHA-256 of "record"
        data: { password_digest: '70ce871f8a3d3fb449bc3c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9' },
      },
    ])
  })

  it('is recorded even when nobody waits for the answer any more', async () => {
    const store = memoryStore()
    const record = recorder(store, settableClock(NOW).read, countingRandom(), nodeDigests)
    await succeed(record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, { wanted: () => false }))
    expect(await allEvents(store)).to.have.lengthOf(1)
  })
})

describe('a failure that a change cannot meet', () => {
  const CASES = ['Conflict', 'EmailTaken'] as const
  for (const _tag of CASES) {
    it(`counts as a store that is not available: ${_tag}`, async () => {
      const lying: Pick<Store, 'commit'> = { commit: () => async () => left({ _tag }) }
      const record = recorder(lying, settableClock(NOW).read, countingRandom(), nodeDigests)
      const task = record([{ _tag: 'UserRegistered', user }], { kind: 'operator' }, { wanted: () => true })
      expect(await fail(cannotMeet('Conflict', 'EmailTaken')(task))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: `it reported an impossible ${_tag}`,
      })
      expect(await fail(cannotMeet(_tag === 'Conflict' ? 'EmailTaken' : 'Conflict')(task))).to.deep.equal({
        _tag,
      })
    })
  }
})

import { expect } from 'chai'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { renewLog } from '../../application/log/renew-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { allEvents, type World } from './world.ts'

const renew = (store: Store) => {
  const dependencies = { clock: () => 1_767_323_045_678, random: systemRandom, digests: nodeDigests }
  return ok(renewLog({ store, ...dependencies })({ operator: 'ada' }))
}

describe('renewing the log', () => {
  it('logs who did it, the epoch before and the number of entries before it', async () => {
    const store = memoryStore()
    await commitAll(store, change(issuedToken()))
    const before = await ok(store.readEpoch())
    const { epoch, previousEpoch } = await renew(store)
    expect([previousEpoch, await ok(store.readEpoch())]).to.deep.equal([before, epoch])
    const [, entry] = await allEvents(store)
    expect(entry).to.deep.include({
      position: 2,
      type: 'LogRenewed',
      at: '2026-01-02T03:04:05.678Z',
      actor: { kind: 'operator', id: 'ada' },
      data: { previous_origin: before, size: 1 },
    })
    expect(entry).not.to.have.property('request_id')
  })
})

describe('checkLog, given a log that was renewed', () => {
  let world: World
  before(async () => {
    world = await eventfulWorld()
    await renew(world.store)
  })

  it('reports no difference', async () => {
    expect(await check(world, world.store)).to.deep.equal([])
  })

  it('reports a renewal with a wrong size', async () => {
    const entries = await allEvents(world.store)
    const position = entries.length
    const readEvents: Store['readEvents'] = (query) => async () => {
      const read = await world.store.readEvents(query)()
      if (read._tag === 'Left') return read
      const right = read.right.map((entry) =>
        entry.type === 'LogRenewed' ? { ...entry, data: { ...entry.data, size: 3 } } : entry,
      )
      return { _tag: 'Right', right }
    }
    expect(await check(world, { ...world.store, readEvents })).to.deep.equal([
      `the log at position ${position} (LogRenewed): size is 3, but ${position - 1} entries precede it`,
    ])
  })
})

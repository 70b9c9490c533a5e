import { expect } from 'chai'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { readLog } from '../../application/log/read-log.ts'
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

describe('reading the log from a cursor', () => {
  it('stops when the epoch changes between two pages, and names the last position that both logs share', async () => {
    const store = memoryStore()
    await commitAll(store, ...Array.from({ length: 1_500 }, () => change(issuedToken())))
    const [told, positions]: [Array<unknown>, Array<number>] = [[], []]
    for await (const page of readLog(store, { after: { epoch: undefined, position: 0 } })) {
      if (page._tag === 'Left') told.push(page.left)
      else {
        positions.push(page.right.last)
        await renew(store)
      }
    }
    expect(positions).to.deep.equal([1_000])
    expect(told).to.deep.equal([{ _tag: 'OtherEpoch', epoch: await ok(store.readEpoch()), shared: 1_000 }])
  })
})

import { expect } from 'chai'
import { request } from 'undici'
import { publishedLog } from '../../application/log/published-log.ts'
import { type LogTree, treeOf } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { integrated } from '../support/integration.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { type Feed, feedOf, positionsIn } from './feed-client.ts'

onMemory('a service on a pruned log', (stores) => {
  let running: RunningService
  let store: Store
  let log: LogTree
  let feed: Feed
  let token: string
  beforeEach(async () => {
    const lasting = await stores.lasting()
    store = lasting.store
    const found = treeOf(store)
    if (found === undefined) throw new Error('the store has no tree')
    log = found
    for (let bundle = 0; bundle < 3; bundle += 1) await commitAll(store, change(registered(), ...MANY))
    await integrated(store)
    running = await startService(lasting.environment, ...lasting.modules)
    feed = await feedOf(running)
    token = await scopedToken(running, 'events:read')
  })
  afterEach(() => running.stop())

  const MANY = Array.from({ length: 255 }, () => issuedToken())
  const get = async (path: string) => {
    const { statusCode, body } = await request(`http://127.0.0.1:${running.port}/api/v1/log/tile/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: statusCode, text: await body.text() }
  }
  const GONE =
    'Entries up to position 300 were pruned, and this bundle contains one of them. Only an exported log has it.'

  it('answers 410 for the bundles that it no longer has, and 200 for their hashes and the others', async () => {
    const paths = [
      'entries/000',
      'entries/000.p/1',
      'entries/001',
      'entries/001.p/40',
      'entries/002',
      '0/000',
      '0/001',
    ]
    const statuses = async () => Promise.all(paths.map(async (path) => (await get(path)).status))
    expect(await statuses()).to.deep.equal(paths.map(() => 200))
    await succeed(log.pruneLog({ through: 300, positions: [2, 299, 300] }))
    expect(await statuses()).to.deep.equal([410, 200, 410, 200, 200, 200, 200])
    for (const path of ['entries/000', 'entries/001'])
      expect(JSON.parse((await get(path)).text).message).to.equal(GONE)
  })

  it('answers 410 for a cursor below, and begins behind it without one', async () => {
    expect(positionsIn(await feed.ask('?limit=2'))).to.deep.equal([1, 2])
    await succeed(log.pruneLog({ through: 300, positions: [2, 299, 300] }))
    const { status, body } = await feed.ask('?after=299')
    expect([status, body.message]).to.deep.equal([
      410,
      'Entries up to position 300 were pruned. Read the others without after.',
    ])
    expect(positionsIn(await feed.ask('?limit=2'))).to.deep.equal([301, 302])
    expect(positionsIn(await feed.ask('?after=300&limit=1'))).to.deep.equal([301])
  })

  it('does not serve a bundle of which an entry is missing although nothing was pruned', async () => {
    const lost: Store & LogTree = {
      ...store,
      ...log,
      readLines: (query) => async () => {
        const lines = await log.readLines(query)()
        return lines._tag === 'Left' ? lines : { ...lines, right: lines.right.slice(1) }
      },
    }
    const tile = publishedLog({ log: lost, publicUrl: 'https://id.example.com' }).tile({
      level: 'entries',
      index: 0,
      width: 256,
    })
    expect(await tile()).to.deep.equal({ _tag: 'Right', right: { _tag: 'None' } })
  })
})

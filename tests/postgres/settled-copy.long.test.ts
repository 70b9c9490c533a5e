import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresStoreCopy } from '../../adapters/stores/postgres/store-copy.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { ok } from '../testkit/outcome.ts'
import { type SynchronousPair, startSynchronousPair } from './synchronous-pair.ts'

const TILE = { level: 0, index: 0, hashes: new Uint8Array(32) }

if (postgres !== undefined)
  describe('a copy into a database with a synchronous standby', function () {
    this.timeout(60_000)
    let pair: SynchronousPair
    before(async () => {
      pair = await startSynchronousPair()
    })
    after(() => pair?.remove())

    it('writes pages without the standby, and settles them with it', async () => {
      const connections = connectionsTo(pair.url, 2)
      const copy = postgresStoreCopy(pair.url, connections)
      await ok(copy.begin({ id: 'a copy', place: 'elsewhere' }, await ok(copy.readContents())))
      await pair.stall()
      await ok(copy.write('a copy', { part: 'tiles', tiles: [TILE] }))
      let hasSettled = false
      const settled = ok(copy.settle('a copy')).finally(() => {
        hasSettled = true
      })
      await eventually('the commit waits', async () => ((await pair.waiting()).length > 0 ? true : undefined))
      expect(hasSettled).to.equal(false)
      pair.resume()
      await settled
      expect((await ok(copy.readCopyState())).state).to.equal('incomplete')
      await copy.close()
      await connections.close()
    })
  })

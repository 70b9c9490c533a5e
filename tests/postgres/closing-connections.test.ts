import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { announceKeys } from '../../adapters/stores/postgres/announcements.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { aKey, changeBy, createdKey } from '../testkit/builders.ts'

if (postgres !== undefined) {
  const server = postgres

  describe('connections to PostgreSQL', () => {
    let database: Awaited<ReturnType<typeof server.newDatabase>>
    before(async () => {
      database = await server.newDatabase()
      await openDatabase({ url: database.url, place: 'a database of the tests' })
    })
    after(() => database.drop())

    it('answer all pending queries before they close, also those that wait for a connection', async () => {
      const connections = connectionsTo(database.url, 1)
      await connections.read('SELECT 1')
      const asked = [1, 2, 3].map((number) => connections.read(`SELECT ${number} AS number`))
      const closed = connections.close()
      const rows = (await Promise.all(asked)).map((answer) => answer.rows[0])
      expect(rows).to.deep.equal([{ number: 1 }, { number: 2 }, { number: 3 }])
      await closed
    })

    it('announce new keys also when the store is closed immediately afterwards', async () => {
      const listening = new pg.Client(database.url)
      await listening.connect()
      let heard = 0
      listening.on('notification', () => {
        heard += 1
      })
      await listening.query('LISTEN portcullis_keys')
      const connections = connectionsTo(database.url, 2)
      const store = postgresStore(connections, { onKeysChanged: () => announceKeys(connections) })
      expect(isRight(await store.commit(changeBy({}, createdKey(aKey())))())).to.equal(true)
      await store.close()
      await eventually('it is told', async () => (heard > 0 ? true : undefined)).finally(() =>
        listening.end(),
      )
    }).timeout(30_000)
  })
}

import { expect } from 'chai'
import pg from 'pg'
import { EXPIRING_TABLES } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'
import { commitAll } from '../testkit/outcome.ts'
import { expiringRow, writing } from '../testkit/store/tables.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

describeOnPostgres('expired rows that another transaction holds', (server) => {
  const shared = sharedStore(server)

  for (const table of EXPIRING_TABLES) {
    it(`stay, and a batch takes the next ones instead: ${table}`, async () => {
      const { store, url } = shared()
      await commitAll(
        store,
        writing(...['a', 'b', 'c', 'd'].map((id, index) => expiringRow(table, id, index))),
      )
      const holder = new pg.Client(url)
      holder.on('error', () => {}) // if the test fails, the database is dropped with it
      await holder.connect()
      await holder.query(`BEGIN; SELECT id FROM portcullis.${table} WHERE id IN ('a', 'b') FOR UPDATE`)
      const remove = () => succeed(store.deleteExpired({ table, beforeSeconds: 10, limit: 2 }))
      expect(await remove()).to.equal(2)
      expect(await remove()).to.equal(0)
      await holder.query('ROLLBACK')
      expect(await remove()).to.equal(2)
      await holder.end()
    })
  }
})

import { expect } from 'chai'
import pg from 'pg'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { eventually } from '../support/eventually.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { countOne, NOW } from '../testkit/failure-counts/steps.ts'
import { ok, wholeLog } from '../testkit/outcome.ts'
import { describeOnPostgres, onEmpty, PLACE, type TestDatabase } from './database.ts'

describeOnPostgres('a database with a stricter default isolation', (server) => {
  /** Another transaction writes the row that the store waits for, and commits while the store waits. */
  const overtaken = async ({ url, name }: TestDatabase, sql: string, wait: () => Promise<void>) => {
    const other = new pg.Client(url)
    await other.connect()
    try {
      await other.query(`BEGIN; ${sql}`)
      const waiting = wait()
      await eventually('the store waits', async () => {
        const all = await server.ask(
          `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
        )
        return all.length === 1 ? true : undefined
      })
      await other.query('COMMIT')
      await waiting
    } finally {
      await other.end()
    }
  }

  const isolated = (
    level: string,
    test: (database: TestDatabase, connections: Connections) => Promise<void>,
  ) =>
    onEmpty(server, async (database) => {
      await database.ask(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${level}'`)
      await openDatabase({ url: database.url, place: PLACE })
      const connections = connectionsTo(database.url, 2)
      try {
        await test(database, connections)
      } finally {
        await connections.close()
      }
    })

  for (const level of ['repeatable read', 'serializable']) {
    it(
      `(${level}) accepts an append that another one overtakes`,
      isolated(level, async (database, connections) => {
        const store = postgresStore(connections)
        await overtaken(database, 'UPDATE portcullis.head SET position = position', () =>
          ok(store.commit(change(issuedToken()))),
        )
        expect(await wholeLog(store)).to.have.length(1)
      }),
    )

    it(
      `(${level}) counts a failure that another instance overtakes`,
      isolated(level, async (database, connections) => {
        const counts = postgresFailureCounts(connections, () => NOW)
        await ok(countOne(counts, 'key'))
        await overtaken(database, 'UPDATE portcullis.failure_counts SET version = version', async () => {
          expect(await ok(countOne(counts, 'key')), 'the failures before').to.equal(1)
        })
      }),
    )
  }
})

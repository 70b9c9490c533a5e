import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgres } from '../support/postgres.ts'
import {
  countIn,
  countOne,
  failures,
  keep,
  keepingAtMost,
  NOW,
  read,
  remove,
} from '../testkit/failure-counts/steps.ts'
import { ok } from '../testkit/outcome.ts'
import { startProcess } from './another-process.ts'

const PROCESSES = 4
const FAILURES = 100

if (postgres !== undefined) {
  const server = postgres

  describe('failure counts of several instances in PostgreSQL', () => {
    let database: Awaited<ReturnType<typeof server.newDatabase>>
    let connections: Connections
    beforeEach(async () => {
      database = await server.newDatabase()
      await openDatabase({ url: database.url, place: 'a database of the tests' })
      connections = connectionsTo(database.url, 4)
    })
    afterEach(async () => {
      await connections.close()
      await database.drop()
    })

    /** An instance that another one overtakes between its first read and its write. */
    const overtakenBy = (something: () => Promise<unknown>) => {
      let isOvertaken = false
      const counts = postgresFailureCounts(
        {
          ...connections,
          read: async (sql, values) => {
            const found = await connections.read(sql, values)
            if (!isOvertaken) {
              isOvertaken = true
              await something()
            }
            return found as never
          },
        },
        () => NOW,
      )
      return counts
    }
    const instance = (most?: number) =>
      postgresFailureCounts(connections, () => NOW, most === undefined ? undefined : keepingAtMost(most))

    it('are recomputed when another instance counted first under a new key', async () => {
      const slow = overtakenBy(() => ok(countOne(instance(), 'key')))
      expect(await ok(countOne(slow, 'key'))).to.equal(1)
      expect(countIn(await read(instance(), 'key'))).to.equal(2)
    })

    it('are recomputed when another instance counted first under a known key', async () => {
      await keep(instance(), 'key', failures(5))
      const slow = overtakenBy(() => ok(countOne(instance(), 'key')))
      expect(await ok(countOne(slow, 'key'))).to.equal(6)
      expect(countIn(await read(instance(), 'key'))).to.equal(7)
    })

    it('are recomputed when another instance reset them', async () => {
      await keep(instance(), 'key', failures(5))
      const slow = overtakenBy(() => remove(instance(), 'key'))
      expect(await ok(countOne(slow, 'key'))).to.equal(0)
      expect(countIn(await read(instance(), 'key'))).to.equal(1)
    })

    it('are recomputed when they were deleted and created again', async () => {
      await keep(instance(), 'key', failures(5))
      const slow = overtakenBy(async () => {
        await server.ask('DELETE FROM portcullis.failure_counts', new URL(database.url).pathname.slice(1))
        await ok(countOne(instance(), 'key'))
      })
      expect(await ok(countOne(slow, 'key'))).to.equal(1)
    })

    it('continue from the count that was read when the row was deleted meanwhile', async () => {
      await keep(instance(), 'key', failures(3))
      const slow = overtakenBy(() =>
        server.ask('DELETE FROM portcullis.failure_counts', new URL(database.url).pathname.slice(1)),
      )
      expect(await ok(countOne(slow, 'key'))).to.equal(3)
      expect(countIn(await read(instance(), 'key'))).to.equal(4)
    })

    it('keep the results of the other keys in a batch when one key was overtaken', async () => {
      const slow = overtakenBy(() => ok(countOne(instance(), 'one')))
      const before = await Promise.all(['one', 'other', 'one'].map((key) => ok(countOne(slow, key))))
      expect(before).to.deep.equal([1, 0, 2])
      expect(await read(instance(), 'other')).to.deep.equal(some(failures(1)))
      expect(await read(instance(), 'nothing')).to.deep.equal(none)
    })

    it('keep a kind within its limit when instances fill it at once, without a failed update', async () => {
      const instances = [1, 2, 3].map(() => instance(100))
      const updates = Array.from({ length: 600 }, (_, each) =>
        instances.map((counts, one) =>
          countOne(counts, `key ${(one % 2 === 0 ? each : 600 - each) % 400}`)(),
        ),
      )
      const outcomes = await Promise.all(updates.flat())
      expect(new Set(outcomes.map(({ _tag }) => _tag))).to.deep.equal(new Set(['Right']))
      const last = instance(100)
      for (let each = 0; each < 10; each += 1) await keep(last, 'last', failures(each + 2))
      const [rows] = await server.ask(
        'SELECT count(*)::int AS count FROM portcullis.failure_counts',
        new URL(database.url).pathname.slice(1),
      )
      expect(Number(rows?.count)).to.be.within(1, 100)
      expect(await read(last, 'last')).to.deep.equal(some(failures(11)))
    }).timeout(60_000)

    it(`of ${PROCESSES} processes on one key are all counted once`, async () => {
      const processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess))
      for (const { tell } of processes)
        tell({ act: 'count', url: database.url, key: 'key', failures: FAILURES })
      const reports = await Promise.all(processes.map(({ report }) => report()))
      const before = reports.flatMap((report) => (report.what === 'counted' ? report.before : []))
      expect(before.sort((one, other) => one - other)).to.deep.equal(
        Array.from({ length: PROCESSES * FAILURES }, (_, index) => index),
      )
      await Promise.all(processes.map(({ end }) => end()))
    }).timeout(60_000)
  })
}

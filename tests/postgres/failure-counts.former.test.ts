import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import {
  countIn,
  countOne,
  failures,
  keep,
  keepingAtMost,
  NOW,
  read,
} from '../testkit/failure-counts/steps.ts'
import { ok } from '../testkit/outcome.ts'
import { describeOnPostgres, laySchema, onEmpty, PLACE, type TestDatabase } from './database.ts'

const WITHOUT_KINDS = 8

/** As an instance of the former version counts. */
const countAsFormer = (key: string, count: number, version: number, forgottenFrom = NOW + 1_000) => `
  INSERT INTO portcullis.failure_counts AS stored (key, count, refused_until, forgotten_from, version)
  SELECT key, count, refused_until, forgotten_from, version
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.failure_counts, '[{"key": "${key}", "count": ${count},
    "refused_until": 0, "forgotten_from": ${forgottenFrom}, "version": ${version}}]') ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    count = excluded.count, refused_until = excluded.refused_until,
    forgotten_from = excluded.forgotten_from, version = excluded.version
  WHERE stored.version = excluded.version - 1`

/** As an instance of the former version keeps at most 100. */
const REMOVE_AS_FORMER = `
  DELETE FROM portcullis.failure_counts WHERE key = ANY (ARRAY
    (SELECT key FROM portcullis.failure_counts ORDER BY forgotten_from
     LIMIT greatest(0, (SELECT count(*) FROM portcullis.failure_counts) - 100) FOR UPDATE SKIP LOCKED))`

describeOnPostgres('failure counts beside an instance of the version before kinds', (server) => {
  /** Migrates a former database that has these counts, and gives the stored key of `key`. */
  const migrated = (
    test: (given: {
      database: TestDatabase
      counts: ReturnType<typeof postgresFailureCounts>
      stored: string
    }) => Promise<void>,
    before: (stored: string) => ReadonlyArray<string> = () => [],
  ) =>
    onEmpty(server, async (database) => {
      const stored = 'f8fe5cbd4c0b085579ca225fa0f6d5fd2871dad862e6ba5bdc7e1b8fe57de31d'
      await laySchema(database, WITHOUT_KINDS)
      for (const statement of before(stored)) await database.ask(statement)
      await openDatabase({ url: database.url, place: PLACE })
      const connections = connectionsTo(database.url, 2)
      const counts = postgresFailureCounts(connections, () => NOW, keepingAtMost(10))
      await test({ database, counts, stored })
      await counts.close()
      await connections.close()
    })

  it(
    'continue, and get their kind with the next update',
    migrated(
      async ({ database, counts }) => {
        expect(await ok(countOne(counts, 'key'))).to.equal(3)
        expect(await database.ask('SELECT kind FROM portcullis.failure_counts')).to.deep.equal([
          { kind: 'account' },
        ])
      },
      (stored) => [countAsFormer(stored, 3, 1)],
    ),
  )

  it(
    'continue after that instance has counted, whether it or this one was first',
    migrated(async ({ database, counts, stored }) => {
      await database.ask(countAsFormer(stored, 3, 1))
      expect(await ok(countOne(counts, 'key'))).to.equal(3)
      await database.ask(countAsFormer(stored, 5, 3))
      expect(countIn(await read(counts, 'key'))).to.equal(5)
    }),
  )

  it(
    'are removed when they have expired, and otherwise kept',
    migrated(async ({ database, counts }) => {
      await database.ask(countAsFormer('over', 1, 1, NOW))
      await database.ask(countAsFormer('over too', 2, 1, NOW))
      await database.ask(countAsFormer('lasting', 1, 1))
      await keep(counts, 'key', failures(1))
      expect(await database.ask("SELECT key FROM portcullis.failure_counts WHERE kind = ''")).to.deep.equal([
        { key: 'lasting' },
      ])
    }),
  )

  it(
    'can be removed by that instance',
    migrated(async ({ database, counts }) => {
      for (let each = 0; each < 110; each += 1) await keep(counts, `key ${each}`, failures(1), 'session')
      await database.ask(REMOVE_AS_FORMER)
      expect(await database.ask('SELECT count(*)::int AS rows FROM portcullis.failure_counts')).to.deep.equal(
        [{ rows: 100 }],
      )
    }),
  )
})

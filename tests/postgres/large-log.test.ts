import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import type { Query } from '../../adapters/stores/postgres/primary.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventPages } from '../../application/recording/pages.ts'
import type { EventType } from '../../domain/event.ts'
import { describeOnPostgres, sharedStore } from './database.ts'

const ENTRIES = 200_000

/** One statement reads this many positions. */
const RANGE = 10_000

describeOnPostgres('a log of many entries in PostgreSQL', (server) => {
  const shared = sharedStore(server)
  before(async function () {
    this.timeout(120_000)
    await shared().ask(MANY)
  })

  const CASES: ReadonlyArray<readonly [what: string, type: EventType, positions: ReadonlyArray<number>]> = [
    ['a type with two entries', 'SigningKeyCreated', [5, ENTRIES - 1]],
    ['a type without entries', 'SigningKeyRetired', []],
  ]
  for (const [what, type, positions] of CASES)
    it(`is searched for ${what} in statements over a bounded range`, async function () {
      this.timeout(60_000)
      const connections = connectionsTo(shared().url, 1)
      const { store, looks } = analysing(connections)
      const found: Array<number> = []
      for await (const page of eventPages(store, { after: 0, type })) {
        if (!isRight(page)) throw new Error(`it failed: ${page.left.reason}`)
        found.push(...page.right.map(({ position }) => position))
      }
      await store.close()
      expect(found).to.deep.equal(positions)
      expect(looks.length).to.be.at.least(ENTRIES / RANGE)
      for (const look of looks) expect(look).to.deep.equal({ ...look, isByIndex: true, isShort: true })
    })

  it('is searched in statements that the server cancels by itself', async () => {
    const connections = connectionsTo(shared().url, 1)
    const limits: Array<unknown> = []
    const store = postgresStore({
      ...connections,
      transaction: (work) =>
        connections.transaction(async (query) => {
          limits.push(...(await query('SHOW statement_timeout')).rows)
          return work(query)
        }),
    })
    await store.readEvents({ after: 0, limit: 1 })()
    await store.listRows({ table: 'users', after: '', limit: 1 })()
    await store.close()
    expect(limits).to.deep.equal([{ statement_timeout: '4500ms' }, { statement_timeout: '4500ms' }])
  })
})

type Look = Readonly<{ isByIndex: boolean; isShort: boolean; plan: string }>

/** A store that records how many rows the server read for each page. */
const analysing = (connections: Connections): Readonly<{ store: Store; looks: ReadonlyArray<Look> }> => {
  const looks: Array<Look> = []
  const noting =
    (query: Query): Query =>
    async (sql, values) => {
      const { rows } = await query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ${sql}`,
        values,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      const counted = [...plan.matchAll(/(?:actual rows=|Rows Removed by Filter: )(\d+)/g)]
      const most = Math.max(...counted.map(([, rowCount]) => Number(rowCount)))
      looks.push({ isByIndex: !plan.includes('Seq Scan'), isShort: most <= RANGE, plan })
      return query(sql, values)
    }
  const transaction: Connections['transaction'] = (work) =>
    connections.transaction((query) => work(noting(query)))
  return { store: postgresStore({ ...connections, transaction }), looks }
}

const MANY = `
  UPDATE portcullis.head SET position = ${ENTRIES};
  INSERT INTO portcullis.log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    SELECT n, 'event ' || n,
      CASE WHEN n IN (5, ${ENTRIES - 1}) THEN 'SigningKeyCreated' ELSE 'UserSignedOut' END,
      1, '2026-01-02T03:04:05.678Z', CASE WHEN n IN (5, ${ENTRIES - 1}) THEN 'key' ELSE 'user' END, 'u', 'nobody',
      CASE WHEN n IN (5, ${ENTRIES - 1}) THEN '{"purpose":"user"}' ELSE '{"session_id":"s"}' END
    FROM generate_series(1, ${ENTRIES}) AS n;
  ANALYZE portcullis.log`

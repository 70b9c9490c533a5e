import Database from 'better-sqlite3'
import { isLeft } from 'fp-ts/lib/Either.js'
import { connectionsTo } from '../../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../../adapters/stores/postgres/store.ts'
import { sqliteStore } from '../../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../../application/ports/store.ts'
import type { UserQuery } from '../../../application/ports/user-query.ts'
import { type Bench, OWN_TREE, type Row } from '../bench-run.ts'
import { inRounds } from '../compare.ts'
import { leaveToServers } from '../machine.ts'
import { fileOf, prepare } from '../portcullis.ts'
import type { Measured } from '../report.ts'
import { quantile, summarize } from '../statistics.ts'
import { postgresServer } from './postgres.ts'

/**
 * The first pages of searches among a million users, by the store alone. A fifth is removed: the id of such a user is in its row in place
 * of the e-mail. One in a hundred has a role, one in a thousand `admin`.
 */
const USERS = 1_000_000

/** Inserts the users. `i` counts them, and `id` is shaped like a UUIDv7. */
const filled = (table: string, series: string): string => `
  INSERT INTO ${table} (id, email, email_key, password_record, password_version, status, created_at, version, roles, attributes, name_key)
  SELECT id, address, address, '', 1, status, 0, 1,
    CASE WHEN i % 1000 = 1 THEN 'admin editor' WHEN i % 100 = 1 THEN 'editor' ELSE '' END,
    CASE WHEN status = 'removed' THEN '' ELSE '{"name":"Ada ' || i || '"}' END,
    CASE WHEN status = 'removed' THEN '' ELSE 'ada ' || i END
  FROM (
    SELECT i, id,
      CASE WHEN i % 5 = 0 THEN id ELSE 'user-' || i || '@example.com' END AS address,
      CASE WHEN i % 5 = 0 THEN 'removed' ELSE 'enabled' END AS status
    FROM (${series}) AS series
  ) AS made`

const SQLITE = filled(
  'users',
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${USERS})
   SELECT i, printf('01900000-0002-7000-8000-%012x', i) AS id FROM n`,
)
const POSTGRES = filled(
  'portcullis.users',
  `SELECT i, '01900000-0002-7000-8000-' || lpad(to_hex(i), 12, '0') AS id FROM generate_series(1, ${USERS}) AS i`,
)

type Lists = Pick<Store, 'listUsers'>

const onSqlite = async (bench: Bench): Promise<Lists> => {
  const file = fileOf(prepare(OWN_TREE, bench.folder))
  const db = new Database(file)
  db.exec(SQLITE)
  db.close()
  const store = sqliteStore(file)
  await bench.keep(Promise.resolve({ stop: () => store.close() }))
  return store
}

const onPostgres = async (bench: Bench): Promise<Lists> => {
  const server = await postgresServer(bench)
  const { url } = await server.newDatabase()
  await openDatabase({ url, place: 'a database of the bench' })
  const ask = (sql: string) => server.ask(sql, new URL(url).pathname.slice(1))
  await ask(POSTGRES)
  await ask('VACUUM ANALYZE portcullis.users') // the server does this by itself, some minutes later
  const store = postgresStore(connectionsTo(url, 1))
  await bench.keep(Promise.resolve({ stop: () => store.close() }))
  return store
}

/** Each search, and how many users its first page has. The page of a service has 100, and one more shows that there is another. */
const PAGE = 101
const SEARCHES = {
  'a beginning of e-mails': [(round: number) => ({ emailPrefix: `user-${10 + (round % 80)}` }), PAGE],
  'a beginning that only removed users have': [() => ({ emailPrefix: '0' }), 0],
  'a beginning of names': [(round: number) => ({ namePrefix: `ada ${10 + (round % 80)}` }), PAGE],
  'a role of a thousand users': [() => ({ role: 'admin' }), PAGE],
  'a role that no user has': [() => ({ role: 'nobody' }), 0],
} as const satisfies Record<string, readonly [(round: number) => Partial<UserQuery>, number]>

/** The median of some searches, in milliseconds. */
const timeOf =
  ({ listUsers }: Lists, [conditions, size]: (typeof SEARCHES)[keyof typeof SEARCHES]) =>
  async (): Promise<number> => {
    const times: Array<number> = []
    for (let round = 0; round < 40; round += 1) {
      const before = performance.now()
      const found = await listUsers({ after: '', limit: PAGE, ...conditions(round) })()
      times.push(performance.now() - before)
      if (isLeft(found) || found.right.length !== size) throw new Error('the search found other users')
    }
    return quantile(times, 0.5)
  }

const searchesIn =
  (title: string, start: (bench: Bench) => Promise<Lists>) =>
  async (bench: Bench): Promise<ReadonlyArray<Measured>> => {
    leaveToServers(0)
    const store = await start(bench)
    const sides = Object.fromEntries(
      Object.entries(SEARCHES).map(([name, search]) => [name, timeOf(store, search)]),
    )
    const measured = await inRounds<string, number>(sides, bench.rounds)
    return Object.entries(measured).map(([name, times]) => ({
      title: `${title}: ${name}`,
      value: summarize(times),
      unit: 'ms',
      aim: { better: 'lower', target: 10, floor: 10 } as const,
      details: `the first page among ${USERS} users, by the store alone`,
      ceilingSpread: 0,
    }))
  }

export const USER_SEARCH_ROWS: ReadonlyArray<Row> = [
  {
    name: 'search-sqlite',
    what: 'searches among a million users in SQLite, against a limit',
    measure: searchesIn('search in SQLite', onSqlite),
  },
  {
    name: 'search-postgres',
    what: 'the same in PostgreSQL',
    measure: searchesIn('search in PostgreSQL', onPostgres),
  },
]

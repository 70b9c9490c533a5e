import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { migrationsIn } from '../../adapters/stores/records/migrations.ts'
import type { Store } from '../../application/ports/store.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresClient } from '../support/postgres-client.ts'

/** Tests that need the server. Without a server they are left out, and another test reports that. */
export const describeOnPostgres = (what: string, body: (server: PostgresClient) => void): void => {
  const server = postgres
  if (server !== undefined) describe(what, () => body(server))
}

export type TestDatabase = Readonly<{
  url: string
  /** Its name on the server. */
  name: string
  /** Runs SQL directly, without the store. Several statements are one transaction. */
  ask: (sql: string) => Promise<ReadonlyArray<Record<string, unknown>>>
}>

/** Its name in messages. */
export const PLACE = 'a database of the tests'

const emptyOn = async (server: PostgresClient) => {
  const { url, drop } = await server.newDatabase()
  const name = new URL(url).pathname.slice(1)
  return { url, name, ask: (sql: string) => server.ask(sql, name), drop }
}

const MIGRATIONS = new URL('../../adapters/stores/postgres/migrations/', import.meta.url)
/** The migrations of this version. */
export const NEWEST = migrationsIn(MIGRATIONS)

/** The number of the newest schema. */
export const NEWEST_SCHEMA = NEWEST.length

/** A test with its own empty database, which is dropped afterwards. */
export const onEmpty =
  (server: PostgresClient, test: (database: TestDatabase) => Promise<void>) => async (): Promise<void> => {
    const database = await emptyOn(server)
    try {
      await test(database)
    } finally {
      await database.drop()
    }
  }

/** One empty database for all tests of a group, created before the first test. */
export const sharedDatabase = (server: PostgresClient): (() => TestDatabase) => {
  let made: Awaited<ReturnType<typeof emptyOn>> | undefined
  before(async () => {
    made = await emptyOn(server)
  })
  after(() => made?.drop())
  return () => there(made)
}

/** The same with a store on it. */
export const sharedStore = (server: PostgresClient): (() => TestDatabase & Readonly<{ store: Store }>) => {
  let made: (TestDatabase & Readonly<{ store: Store }>) | undefined
  after(() => made?.store.close()) // before its database is dropped
  const database = sharedDatabase(server)
  before(async () => {
    const { url } = database()
    await openDatabase({ url, place: PLACE })
    made = { ...database(), store: postgresStore(connectionsTo(url, 4)) }
  })
  return () => there(made)
}

const there = <A>(made: A | undefined): A => {
  if (made === undefined) throw new Error('it is there only while its tests run')
  return made
}

/** The whole content of the schema: its tables, columns and rows. */
export const contents = async ({ ask }: TestDatabase): Promise<Readonly<Record<string, unknown>>> => {
  const tables = await ask(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'portcullis' ORDER BY 1",
  )
  const rows: Record<string, unknown> = {}
  for (const { name } of tables) rows[String(name)] = await ask(`SELECT * FROM portcullis.${name} ORDER BY 1`)
  const made = await ask(
    "SELECT oid, relname, relkind FROM pg_class WHERE relnamespace::regnamespace::text = 'portcullis' ORDER BY oid",
  )
  return { ...rows, made }
}

/** Creates a role on the server. Returns the URL of the same database with this role. */
export const newRole = async (
  server: PostgresClient,
  { url, name }: Pick<TestDatabase, 'url' | 'name'>,
  { password = PASSWORD, can = 'LOGIN' } = {},
): Promise<Readonly<{ url: string; role: string; remove: () => Promise<void> }>> => {
  const role = `somebody_of_${name}`
  await server.ask(`CREATE ROLE ${role} ${can} PASSWORD '${password}'`)
  return {
    url: url.replace(/\/\/.*@/, `//${role}:${encodeURIComponent(password)}@`),
    role,
    remove: async () => {
      await server.ask(`SET transaction_read_only = off; DROP OWNED BY ${role} CASCADE`, name)
      await server.ask(`DROP ROLE ${role}`)
    },
  }
}

/** Contains every character with a special meaning in a URL, a pattern or an escape. */
export const PASSWORD = 'p@ss:w/rd?#%zz%41+ é$&'

/** The message of the error when a database is opened. */
export const refusalOf = (opening: Promise<unknown>): Promise<string> =>
  opening.then(
    () => 'it was opened',
    (error: Error) => error.message,
  )

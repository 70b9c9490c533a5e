import { setTimeout } from 'node:timers/promises'
import type { StoreOpening } from '../../../application/ports/storage.ts'
import { TABLES } from '../../../application/ports/store.ts'
import { fileUrl } from '../../config/files/program-files.ts'
import { type Migrations, migrationsIn, schemaProblem, UNRELEASED } from '../records/migrations.ts'
import { NoStore } from '../records/no-store.ts'
import { type Connections, connectionsTo } from './connections.ts'
import { markUnbegun } from './copy-state.ts'
import { isAway, isFileError, reasonOf, Standby, stateOf, systemCodeOf } from './errors.ts'
import { poolerRefusalOf } from './pooler.ts'
import type { Query } from './primary.ts'

/** The address of a database. The URL may contain a secret; `place` may be shown. */
export type Database = Readonly<{ url: string; place: string }>

/**
 * Opens the database once to check and, unless it is read-only, migrate it. A lock lets instances start concurrently.
 * It waits for a server that is starting.
 *
 * @param options.migrations those of this version, except in tests
 * @throws NoStore if a store must exist, and there is none
 * @throws Error with one sentence for operators when the database cannot be used
 */
export const openDatabase = async (
  { url, place }: Database,
  {
    opening = 'migrate',
    timeoutMs = START_TIMEOUT_MS,
    migrations = migrationsIn(MIGRATIONS),
  }: Readonly<{ opening?: StoreOpening; timeoutMs?: number | undefined; migrations?: Migrations }> = {},
): Promise<void> => {
  const connections = connectionsTo(url, 1, { patienceMs: 0 }) // it has its own
  const until = performance.now() + timeoutMs
  try {
    while (!(await isOpened({ url, connections, opening, migrations, until })))
      await setTimeout(START_RETRY_MS)
  } catch (error) {
    const sentence = `The database ${place} cannot be used: ${messageOf(error)}`
    throw error instanceof NoStore ? new NoStore(sentence) : new Error(sentence)
  } finally {
    await connections.close()
  }
}

/** False: the server is away, and another attempt may succeed. */
const isOpened = async ({
  url,
  connections,
  opening,
  migrations,
  until,
}: Readonly<{
  url: string
  connections: Connections
  opening: StoreOpening
  migrations: Migrations
  until: number
}>): Promise<boolean> => {
  try {
    await expectSupportedServer(connections.read)
    const schema = await schemaOf(connections.read)
    if (schema > 0) await refuseUnreleased(connections.read, migrations)
    const mayCreate = opening === 'migrate' || opening === 'copy-target'
    const shouldMigrate = mayCreate || (opening === 'existing' && schema > 0)
    if (shouldMigrate && schema < migrations.length) await migrate(url, { opening, migrations })
    await expectSchema(connections.read, migrations.length)
    return true
  } catch (error) {
    if (!isAway(error) || performance.now() > until) throw error
    return false
  }
}

/** Covers a server that starts, and a fail-over. */
const START_TIMEOUT_MS = 10_000
const START_RETRY_MS = 250

/** Rewriting a large table may take minutes, also in another instance. */
const MIGRATION_MS = 600_000

const MIGRATIONS = fileUrl('stores/postgres/migrations/')

/** The key of the advisory lock for migrations: "PORT" in ASCII. */
const LOCK = 0x504f5254

/** Refuses settings that would break durability silently: an answered change must be on disk. */
const expectSupportedServer = async (query: Query): Promise<void> => {
  const setting = await settingsOf(query)
  if (Number(setting.server_version_num) < OLDEST_VERSION)
    throw new Unusable(`the server is PostgreSQL ${setting.server_version}. Upgrade it to 13 or later.`)
  if (setting.server_encoding !== 'UTF8')
    throw new Unusable(
      `its encoding is ${setting.server_encoding}. Create a database with the encoding UTF8.`,
    )
  if (setting.synchronous_commit === 'off')
    throw new Unusable(
      'synchronous_commit is off, so that answered changes could be lost. Turn it on: ALTER DATABASE … SET synchronous_commit = on.',
    )
  if (setting.transaction_read_only === 'on') throw new Unusable(READ_ONLY)
}

const READ_ONLY =
  'it is read-only: a standby, or default_transaction_read_only is on. Name the primary in DATABASE_URL.'

/** The relevant settings of the server. */
export const settingsOf = async (query: Query): Promise<Readonly<Record<string, string>>> => {
  const { rows } = await query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [
      [
        'fsync',
        'synchronous_commit',
        'synchronous_standby_names',
        'server_encoding',
        'server_version',
        'server_version_num',
        'max_connections',
        'superuser_reserved_connections',
        'transaction_read_only',
      ],
    ],
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

const OLDEST_VERSION = 130_000

/**
 * The number of applied migrations; 0 without our schema. It reads the catalog tables, because a session may use
 * cached names while it waits for an advisory lock.
 */
const schemaOf = async (query: Query): Promise<number> => {
  if (!(await namesIn(query)).includes('migrations')) return 0
  const { rows } = await query<{ schema: number }>('SELECT count(*) AS schema FROM portcullis.migrations')
  return rows[0]?.schema ?? 0
}

/** The first migration of versions before the first release had another name. */
const refuseUnreleased = async (query: Query, [first]: Migrations): Promise<void> => {
  const { rows } = await query<{ name: string }>('SELECT name FROM portcullis.migrations WHERE number = 1')
  if (rows.some(({ name }) => name !== first?.name)) throw new Unusable(UNRELEASED)
}

/** The names of the tables, indexes and other relations in our schema. */
const namesIn = async (query: Query): Promise<ReadonlyArray<string>> => {
  const { rows } = await query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'portcullis'`,
  )
  return rows.map(({ name }) => name)
}

type Migrating = Readonly<{ opening: StoreOpening; migrations: Migrations }>

const migrate = async (url: string, migrating: Migrating): Promise<void> => {
  const connections = connectionsTo(url, 1, { queryTimeoutMs: MIGRATION_MS, patienceMs: 0 })
  try {
    await connections.transaction((query) => runMigrations(query, migrating))
  } finally {
    await connections.close()
  }
}

const runMigrations = async (query: Query, { opening, migrations }: Migrating): Promise<void> => {
  await query(`SET LOCAL lock_timeout = ${MIGRATION_MS}; SET LOCAL statement_timeout = ${MIGRATION_MS}`)
  await query('SELECT pg_catalog.pg_advisory_xact_lock($1)', [LOCK])
  const done = await schemaOf(query)
  if (done === 0) await createSchema(query)
  for (const [index, { name, sql }] of migrations.entries()) {
    if (index < done) continue
    await query(sql)
    await query('INSERT INTO portcullis.migrations (number, name) VALUES ($1, $2)', [index + 1, name])
  }
  if (done === 0 && opening === 'copy-target') await markUnbegun(query)
}

const createSchema = async (query: Query): Promise<void> => {
  if ((await namesIn(query)).length > 0) throw new Unusable(FOREIGN_SCHEMA)
  const made = await query("SELECT FROM pg_namespace WHERE nspname = 'portcullis'")
  // A user without the right to create a schema may use an existing one.
  if (made.rows.length === 0) await query('CREATE SCHEMA portcullis')
  await query('CREATE TABLE portcullis.migrations (number integer PRIMARY KEY, name text NOT NULL)')
}

const FOREIGN_SCHEMA =
  'its schema portcullis belongs to another program. Name another database in DATABASE_URL.'

const expectSchema = async (query: Query, expected: number): Promise<void> => {
  const found = await schemaOf(query)
  if (found === 0) throw new NoStore('it contains no store. Start a service on it, or check DATABASE_URL.')
  const problem = schemaProblem(found, expected)
  if (problem !== undefined) throw new Unusable(problem)
  const names = await namesIn(query)
  const missing = NEEDED.find((table) => !names.includes(table))
  if (missing !== undefined) throw new Unusable(`it lacks the table ${missing}. Restore it from a back-up.`)
}

const NEEDED = [
  'log',
  'head',
  'tree',
  'tiles',
  ...TABLES,
  'failure_counts',
  'mails',
  'protocol_state',
  'server_notes',
]

/** An error whose message is a sentence for operators. */
class Unusable extends Error {}

const isCertificateError = (error: unknown): boolean =>
  /CERT|SIGNATURE|^ERR_(TLS|SSL|OSSL)/.test(systemCodeOf(error) ?? '')

const messageOf = (error: unknown): string => {
  if (error instanceof Unusable || error instanceof NoStore) return error.message
  if (error instanceof Standby) return READ_ONLY
  if (isFileError(error))
    return `a file that DATABASE_URL names cannot be read (${reasonOf(error)}). Check sslrootcert, sslcert and sslkey.`
  if (isCertificateError(error))
    return `the TLS certificate is refused (${reasonOf(error)}). Check the server's certificate, and HOST and sslrootcert in DATABASE_URL.`
  const said = error instanceof Error ? error.message : ''
  const saidByDriver = MESSAGES_OF_DRIVER.find(([beginning]) => said.startsWith(beginning))
  if (saidByDriver !== undefined) return saidByDriver[1]
  const refusal = poolerRefusalOf(error)
  if (refusal !== undefined) return refusal.sentence
  const state = stateOf(error) ?? ''
  const known = MESSAGES_BY_STATE.find(([prefix]) => state.startsWith(prefix))
  if (known !== undefined) return known[1]
  return state === ''
    ? `it cannot be reached (${reasonOf(error)}). Check that PostgreSQL runs there and accepts this machine, and check DATABASE_URL.`
    : `${reasonOf(error)}. Check the server's log and DATABASE_URL.`
}

/** For errors of the driver that have no code. */
const MESSAGES_OF_DRIVER: ReadonlyArray<readonly [string, string]> = [
  [
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be',
    'the server requires a password. Add it to DATABASE_URL.',
  ],
  [
    'The server does not support SSL connections',
    'the server does not support TLS. Turn ssl on there, or remove sslmode from DATABASE_URL.',
  ],
]

/** By the beginning of the SQLSTATE. */
const MESSAGES_BY_STATE: ReadonlyArray<readonly [string, string]> = [
  [
    '08',
    'the proxy in front of the server, such as PgBouncer, cannot reach it. Check that PostgreSQL runs, and the log of the proxy.',
  ],
  ['28', 'the server refuses this user or password. Check DATABASE_URL and pg_hba.conf.'],
  ['3D000', 'no database has this name. Create it (CREATE DATABASE), or name another one in DATABASE_URL.'],
  [
    '42501',
    'this user may not use the schema portcullis. Make the user own the database, GRANT CREATE ON DATABASE to the user, or CREATE SCHEMA portcullis AUTHORIZATION the user.',
  ],
  ['42P07', FOREIGN_SCHEMA],
  ['25006', READ_ONLY],
  ['53300', 'the server has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE.'],
  ['55P03', 'another instance is migrating it. Try again later.'],
  ['57P', 'the server is starting or stopping. Try again when it runs.'],
]

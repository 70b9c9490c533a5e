import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import {
  type Connections,
  connectionsTo,
  isLoss,
  type Query,
  reasonOf,
  stateOf,
  systemCodeOf,
} from './connections.ts'

/** Where a database is: the URL may hold a secret, and `place` is what may be said of it. */
export type Database = Readonly<{ url: string; place: string }>

/**
 * What becomes of a database as it is opened: it is made fit for this version, even when nothing is there yet; only what is
 * there is made fit; or it is left as it is.
 */
export type Opening = 'prepare' | 'what is there' | 'as it is'

/**
 * Makes sure that the database can be used. To prepare it is to bring it to the schema of this version, under a lock, so that
 * any number of instances may start at once.
 *
 * A server that is about to start is waited for.
 *
 * @throws Error with one sentence for operators when the database cannot be used
 */
export const openDatabase = async (
  { url, place }: Database,
  opening: Opening = 'prepare',
  patienceMs = PATIENCE_AT_START_MS,
): Promise<void> => {
  const connections = connectionsTo(url, 1, MIGRATION_MS)
  const until = performance.now() + patienceMs
  try {
    while (!(await isOpened(connections, opening, until))) await setTimeout(RETRY_AT_START_MS)
  } catch (error) {
    throw new Error(`The database ${place} cannot be used: ${sentence(error)}`)
  } finally {
    await connections.close()
  }
}

const isOpened = async (connections: Connections, opening: Opening, until: number): Promise<boolean> => {
  try {
    await expectFit(connections.read)
    const schema = await schemaOf(connections.read)
    const isToBeMade = opening === 'prepare' || (opening === 'what is there' && schema > 0)
    if (isToBeMade && schema < migrationFiles().length) await migrate(connections)
    await expectSchema(connections.read)
    return true
  } catch (error) {
    if (!isAway(error) || performance.now() > until) throw error
    return false
  }
}

/** A server that starts, or whose place another one takes. */
const PATIENCE_AT_START_MS = 10_000
const RETRY_AT_START_MS = 250

/** One that makes a long table anew may take minutes, and so may waiting for another instance that does. */
const MIGRATION_MS = 600_000

const MIGRATIONS = new URL('./migrations/', import.meta.url)

/** Names the lock of migrations: "PORT" in ASCII. */
const LOCK = 0x504f5254

/** An answer that left the service is on a disk: a server that was told not to wait for that breaks it silently. */
const expectFit = async (query: Query): Promise<void> => {
  const setting = await settingsOf(query)
  if (Number(setting.server_version_num) < OLDEST_VERSION)
    throw new Unusable('the server is older than PostgreSQL 13. Take a newer one.')
  if (setting.server_encoding !== 'UTF8')
    throw new Unusable(`its encoding is ${setting.server_encoding}. Make one with the encoding UTF8.`)
  if (setting.synchronous_commit === 'off')
    throw new Unusable(
      'synchronous_commit is off, so that what was answered could be lost. Turn it on: ALTER DATABASE … SET synchronous_commit = on.',
    )
}

/** What the server is set to, as far as it matters here. */
export const settingsOf = async (query: Query): Promise<Readonly<Record<string, string>>> => {
  const { rows } = await query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [
      [
        'fsync',
        'synchronous_commit',
        'server_encoding',
        'server_version',
        'server_version_num',
        'max_connections',
      ],
    ],
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

const OLDEST_VERSION = 130_000

const migrationFiles = (): ReadonlyArray<string> =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/**
 * How many migrations have gone through; 0 where nothing of ours is. It is looked for in the catalogue itself: what a function
 * such as to_regclass says may be what the connection knew before it waited for another one that made the schema.
 */
const schemaOf = async (query: Query): Promise<number> => {
  const there = await query(
    "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'portcullis' AND tablename = 'migrations'",
  )
  if (there.rows.length === 0) return 0
  const { rows } = await query<{ schema: number }>('SELECT count(*) AS schema FROM portcullis.migrations')
  return rows[0]?.schema ?? 0
}

const migrate = async ({ transaction }: Connections): Promise<void> =>
  transaction(async (query) => {
    await query(`SET LOCAL lock_timeout = ${MIGRATION_MS}; SET LOCAL statement_timeout = ${MIGRATION_MS}`)
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const done = await schemaOf(query)
    if (done === 0) await query(BEGINNING)
    for (const [index, name] of migrationFiles().entries()) {
      if (index < done) continue
      await query(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
      await query('INSERT INTO portcullis.migrations (number, name) VALUES ($1, $2)', [index + 1, name])
    }
  })

const BEGINNING = `
  CREATE SCHEMA IF NOT EXISTS portcullis;
  CREATE TABLE portcullis.migrations (number integer PRIMARY KEY, name text NOT NULL)`

const expectSchema = async (query: Query): Promise<void> => {
  const [found, expected] = [await schemaOf(query), migrationFiles().length]
  if (found > expected)
    throw new Unusable(`a newer version of Portcullis wrote it (schema ${found}). Start that version.`)
  if (found === 0)
    throw new Unusable('no service has begun on it yet. Start one, or look whether DATABASE_URL is right.')
  if (found < expected)
    throw new Unusable(
      `an older version of Portcullis wrote it (schema ${found}). Start this one: it brings it up to date.`,
    )
}

/** Its message is a sentence for operators. */
class Unusable extends Error {}

/** Nobody is there, or not yet: also where somebody in front takes the connection and ends it. */
const isAway = (error: unknown): boolean =>
  isLoss(error) || ['ECONNREFUSED', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOENT'].includes(systemCodeOf(error) ?? '')

const sentence = (error: unknown): string => {
  if (error instanceof Unusable) return error.message
  const state = stateOf(error) ?? ''
  const known = SENTENCES.find(([prefix]) => state.startsWith(prefix))
  if (known !== undefined) return known[1]
  return state === ''
    ? `it cannot be reached (${reasonOf(error)}). Look whether PostgreSQL runs there and lets this machine in, and at DATABASE_URL.`
    : `${reasonOf(error)}. Look at the server's log, and at DATABASE_URL.`
}

/** By what the SQLSTATE begins with. */
const SENTENCES: ReadonlyArray<readonly [string, string]> = [
  ['28', 'the server refuses this user or password. Look at DATABASE_URL and at pg_hba.conf.'],
  [
    '3D000',
    'there is no database of this name. Make it (CREATE DATABASE), or name another one in DATABASE_URL.',
  ],
  [
    '42501',
    'this user may not use the schema portcullis there. Make the user own the database, or GRANT CREATE ON DATABASE to it.',
  ],
  ['42P07', 'its schema portcullis belongs to something else. Name another database in DATABASE_URL.'],
  ['53300', 'the server has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE.'],
  ['55P03', 'another instance changes its schema at this moment. Try again when it is done.'],
  ['57P', 'the server is about to start or to stop. Try again when it is up.'],
]

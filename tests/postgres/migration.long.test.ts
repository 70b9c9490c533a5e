import { expect } from 'chai'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { change, createdKey, registered } from '../testkit/builders.ts'
import { countOne, keepingAtMost, NOW } from '../testkit/failure-counts/steps.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import {
  contents,
  describeOnPostgres,
  NEWEST,
  NEWEST_SCHEMA,
  newRole,
  onEmpty,
  PLACE,
  refusalOf,
} from './database.ts'

const TABLES = [
  'applications',
  'factors',
  'failure_counts',
  'head',
  'keys',
  'log',
  'mails',
  'migrations',
  'one_time_tokens',
  'protocol_state',
  'revoked_tokens',
  'server_notes',
  'sessions',
  'tiles',
  'tree',
  'users',
]

/** The migrations of a later version. */
const NEXT = [
  ...NEWEST,
  {
    name: '0002-remark.sql',
    sql: "ALTER TABLE portcullis.users ADD COLUMN remark text NOT NULL DEFAULT 'none'",
  },
]

/** The name of the migration lock. */
const PORT = 0x504f5254

describeOnPostgres('the migration of a PostgreSQL database', (server) => {
  it(
    'creates a target of a copy that is closed from its first moment, and closes no other database',
    onEmpty(server, async (database) => {
      const mark = () => database.ask('SELECT copy_state, copy_id, copy_place FROM portcullis.head')
      const opening = { url: database.url, place: PLACE }
      await openDatabase(opening, { opening: 'copy-target' })
      const unbegun = [{ copy_state: 'incomplete', copy_id: 'unbegun', copy_place: 'another store' }]
      expect(await mark()).to.deep.equal(unbegun)
      await openDatabase(opening)
      expect(await mark()).to.deep.equal(unbegun)
      await database.ask('UPDATE portcullis.head SET copy_state = NULL, copy_id = NULL, copy_place = NULL')
      await openDatabase(opening, { opening: 'copy-target' })
      expect(await mark()).to.deep.equal([{ copy_state: null, copy_id: null, copy_place: null }])
    }),
  )

  it(
    'initializes an empty database, also for eight concurrent instances',
    onEmpty(server, async (database) => {
      await Promise.all(Array.from({ length: 8 }, () => openDatabase({ url: database.url, place: PLACE })))
      const { made, migrations, ...tables } = await contents(database)
      expect(Object.keys({ ...tables, migrations }).sort()).to.deep.equal(TABLES)
      expect(migrations).to.deep.equal([{ number: 1, name: '0001-tables.sql' }])
    }),
  ).timeout(30_000)

  it(
    'runs once: opening the database again changes nothing, in any mode',
    onEmpty(server, async (database) => {
      const address = { url: database.url, place: PLACE }
      await openDatabase(address)
      const store = postgresStore(connectionsTo(database.url, 2))
      await commitAll(store, change(registered(), createdKey()))
      const before = await contents(database)
      for (const opening of ['migrate', 'existing', 'read-only'] as const)
        await openDatabase(address, { opening })
      expect(await contents(database)).to.deep.equal(before)
      expect(await wholeLog(store)).to.have.length(2)
      await store.close()
    }),
  )

  it(
    'waits for another instance that is migrating',
    onEmpty(server, async (database) => {
      const other = new pg.Client(database.url)
      await other.connect()
      await other.query(`SELECT pg_advisory_lock(${PORT})`)
      const opening = openDatabase({ url: database.url, place: PLACE })
      await eventually('it waits', async () => {
        const [found] = await database.ask("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return found
      })
      expect(await namespaces(database)).to.deep.equal([])
      await other.end()
      await opening
      expect(await namespaces(database)).to.have.length(1)
    }),
  )

  it(
    'is atomic: a failed migration changes nothing and can be retried',
    onEmpty(server, async (database) => {
      // The migration creates the index last.
      await database.ask(`
        CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no index'; END $$;
        CREATE EVENT TRIGGER no_index ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION refuse()`)
      expect(await refusalOf(openDatabase({ url: database.url, place: PLACE }))).to.equal(
        `The database ${PLACE} cannot be used: PostgreSQL says P0001. Check the server's log and DATABASE_URL.`,
      )
      expect(await namespaces(database)).to.deep.equal([])
      await database.ask('DROP EVENT TRIGGER no_index')
      await openDatabase({ url: database.url, place: PLACE })
      expect(await namespaces(database)).to.have.length(1)
    }),
  )

  it(
    'runs only the migrations that a database lacks, also for eight concurrent instances, and keeps its content',
    onEmpty(server, async (database) => {
      const address = { url: database.url, place: PLACE }
      await openDatabase(address)
      const store = postgresStore(connectionsTo(database.url, 2))
      await commitAll(store, change(registered(), createdKey()))
      const log = await wholeLog(store)
      await store.close()
      const older = await refusalOf(openDatabase(address, { opening: 'read-only', migrations: NEXT }))
      expect(older).to.equal(
        `The database ${PLACE} cannot be used: an older version of Portcullis wrote it (schema ${NEWEST_SCHEMA}). Start a service of this version, which migrates it.`,
      )
      await Promise.all(Array.from({ length: 8 }, () => openDatabase(address, { migrations: NEXT })))
      expect(await database.ask('SELECT name FROM portcullis.migrations ORDER BY number')).to.deep.equal(
        NEXT.map(({ name }) => ({ name })),
      )
      expect(await database.ask('SELECT remark FROM portcullis.users')).to.deep.equal([{ remark: 'none' }])
      const migrated = postgresStore(connectionsTo(database.url, 2))
      expect(await wholeLog(migrated)).to.deep.equal(log)
      await migrated.close()
      expect(await refusalOf(openDatabase(address))).to.match(/a newer version of Portcullis wrote it/)
    }),
  ).timeout(30_000)

  it(
    'is atomic over several migrations: if one fails, those before it are undone',
    onEmpty(server, async (database) => {
      const address = { url: database.url, place: PLACE }
      await openDatabase(address)
      const before = await contents(database)
      const migrations = [...NEXT, { name: '0003-wrong.sql', sql: 'DROP TABLE portcullis.absent' }]
      expect(await refusalOf(openDatabase(address, { migrations }))).to.match(/PostgreSQL says 42P01/)
      expect(await contents(database)).to.deep.equal(before)
    }),
  )

  it(
    'works in an existing schema for a user who may not create schemas',
    onEmpty(server, async (database) => {
      const { url, role, remove } = await newRole(server, database)
      await database.ask(`CREATE SCHEMA portcullis AUTHORIZATION ${role}`)
      await openDatabase({ url, place: PLACE })
      const store = postgresStore(connectionsTo(url, 2))
      await commitAll(store, change(registered()))
      await store.close()
      await remove()
    }),
  )

  it(
    'can be run by the owner for a user who may only read and write rows',
    onEmpty(server, async (database) => {
      await openDatabase({ url: database.url, place: PLACE })
      const { url, role, remove } = await newRole(server, database)
      await database.ask(`GRANT USAGE ON SCHEMA portcullis TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA portcullis TO ${role}`)
      await openDatabase({ url, place: PLACE })
      const connections = connectionsTo(url, 2)
      const [store, counts] = [
        postgresStore(connections),
        postgresFailureCounts(connections, () => NOW, keepingAtMost(10)),
      ]
      await commitAll(store, change(registered(), createdKey()))
      expect(await wholeLog(store)).to.have.length(2)
      for (let each = 0; each < 10; each += 1) await succeed(countOne(counts, `key ${each}`))
      await counts.close()
      await store.close()
      await remove()
    }),
  )
})

const namespaces = ({ ask }: { ask: (sql: string) => Promise<ReadonlyArray<unknown>> }) =>
  ask("SELECT nspname FROM pg_namespace WHERE nspname = 'portcullis'")

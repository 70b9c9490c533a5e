import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import type { StoreOpening } from '../../application/ports/storage.ts'
import { TABLES } from '../../application/ports/store.ts'
import type { PostgresClient } from '../support/postgres-client.ts'
import {
  contents,
  describeOnPostgres,
  NEWEST_SCHEMA,
  newRole,
  onEmpty,
  PASSWORD,
  PLACE,
  refusalOf,
  type TestDatabase,
} from './database.ts'

type Role = Awaited<ReturnType<typeof newRole>>

/** The state of a database before its owner opens it. */
type Refused = Readonly<{
  name: string
  lay?: (database: TestDatabase, owner: Role, server: PostgresClient) => Promise<unknown>
  opening?: StoreOpening
  sentence: string | RegExp
}>

const SOMEBODY_ELSES =
  'its schema portcullis belongs to another program. Name another database in DATABASE_URL.'
const NO_STORE = 'it contains no store. Start a service on it, or check DATABASE_URL.'
const NO_RIGHT =
  'this user may not use the schema portcullis. Make the user own the database, GRANT CREATE ON DATABASE to the user, or CREATE SCHEMA portcullis AUTHORIZATION the user.'
const NO_CONNECTION =
  'the server has no connection left. Raise its max_connections, or lower DATABASE_POOL_SIZE.'
const READ_ONLY =
  'it is read-only: a standby, or default_transaction_read_only is on. Name the primary in DATABASE_URL.'

const sql =
  (statement: string) =>
  ({ ask }: TestDatabase): Promise<unknown> =>
    ask(statement)

const prepared =
  (statement: string) =>
  async ({ ask }: TestDatabase, { url }: Role): Promise<void> => {
    await openDatabase({ url, place: PLACE })
    await ask(statement)
  }

const BEFORE_THE_FIRST_RELEASE = `
  UPDATE portcullis.migrations SET name = '0001-initial.sql' WHERE number = 1;
  INSERT INTO portcullis.migrations SELECT n, 'of that time' FROM generate_series(2, 20) AS n`
const UNRELEASED =
  'a version before the first release wrote it. Run with that version: portcullis user export users.jsonl. ' +
  'Then name a new store in DATABASE_URL, and run with this version: portcullis application create, and portcullis user import users.jsonl.'

const REFUSED: ReadonlyArray<Refused> = [
  {
    name: 'whose user may not connect',
    lay: ({ name, ask }, { role }) =>
      ask(
        `ALTER DATABASE ${name} OWNER TO portcullis; REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC, ${role}`,
      ),
    sentence: NO_RIGHT,
  },
  {
    name: 'whose user may not create a schema',
    lay: ({ name, ask }) => ask(`ALTER DATABASE ${name} OWNER TO portcullis`),
    sentence: NO_RIGHT,
  },
  {
    name: 'whose schema belongs to another user',
    lay: async ({ url }) => openDatabase({ url, place: PLACE }),
    sentence: NO_RIGHT,
  },
  {
    name: 'without free connections',
    lay: ({ name, ask }) => ask(`ALTER DATABASE ${name} CONNECTION LIMIT 0`),
    sentence: NO_CONNECTION,
  },
  {
    name: 'whose user has no free connections',
    lay: (_, { role }, { ask }) => ask(`ALTER ROLE ${role} CONNECTION LIMIT 0`),
    sentence: NO_CONNECTION,
  },
  {
    name: 'with asynchronous commits',
    lay: ({ name, ask }) => ask(`ALTER DATABASE ${name} SET synchronous_commit = off`),
    sentence:
      'synchronous_commit is off, so that answered changes could be lost. Turn it on: ALTER DATABASE … SET synchronous_commit = on.',
  },
  {
    name: 'with asynchronous commits for this user',
    lay: (_, { role }, { ask }) => ask(`ALTER ROLE ${role} SET synchronous_commit = off`),
    sentence: /synchronous_commit is off/,
  },
  {
    name: 'that is read-only',
    lay: ({ name, ask }) => ask(`ALTER DATABASE ${name} SET default_transaction_read_only = on`),
    sentence: READ_ONLY,
  },
  {
    name: 'whose schema contains an unknown table',
    lay: sql('CREATE SCHEMA portcullis; CREATE TABLE portcullis.bookmarks (url text)'),
    sentence: SOMEBODY_ELSES,
  },
  {
    name: 'whose schema contains a foreign table of a known name',
    lay: sql('CREATE SCHEMA portcullis; CREATE TABLE portcullis.users (name text)'),
    sentence: SOMEBODY_ELSES,
  },
  {
    name: 'of a newer version',
    lay: prepared("INSERT INTO portcullis.migrations VALUES (99, 'x')"),
    sentence: `a newer version of Portcullis wrote it (schema ${NEWEST_SCHEMA + 1}). Start that version.`,
  },
  {
    name: 'that is empty, for a command that needs an existing store',
    opening: 'existing',
    sentence: NO_STORE,
  },
  { name: 'that is empty, for read-only use', opening: 'read-only', sentence: NO_STORE },
  {
    name: 'with an empty schema, for a command that needs an existing store',
    lay: sql('CREATE SCHEMA portcullis'),
    opening: 'existing',
    sentence: NO_STORE,
  },
  {
    name: 'of a version before the first release',
    lay: prepared(BEFORE_THE_FIRST_RELEASE),
    sentence: UNRELEASED,
  },
  {
    name: 'of a version before the first release, for read-only use',
    lay: prepared(BEFORE_THE_FIRST_RELEASE),
    opening: 'read-only',
    sentence: UNRELEASED,
  },
  {
    name: 'without a completed migration, for read-only use',
    lay: prepared('DELETE FROM portcullis.migrations'),
    opening: 'read-only',
    sentence: NO_STORE,
  },
  {
    name: 'of a newer version, for read-only use',
    lay: prepared("INSERT INTO portcullis.migrations VALUES (99, 'x')"),
    opening: 'read-only',
    sentence: /a newer version of Portcullis wrote it/,
  },
]

describeOnPostgres('a PostgreSQL database is refused with one sentence and left unchanged:', (server) => {
  for (const { name, lay, opening = 'migrate', sentence } of REFUSED) {
    it(
      name,
      onEmpty(server, async (database) => {
        const owner = await newRole(server, database)
        await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${owner.role}`)
        await lay?.(database, owner, server)
        const before = await contents(database)
        const refusal = await refusalOf(
          openDatabase({ url: owner.url, place: PLACE }, { opening, timeoutMs: 0 }),
        )
        const beginning = `The database ${PLACE} cannot be used: `
        if (typeof sentence === 'string') expect(refusal).to.equal(`${beginning}${sentence}`)
        else expect(refusal).to.match(new RegExp(`^${beginning}${sentence.source}`))
        for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(refusal).not.to.include(secret)
        expect(await contents(database)).to.deep.equal(before)
        await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
        await owner.remove()
      }),
    )
  }

  it(
    'without one of its tables',
    onEmpty(server, async (database) => {
      const address = { url: database.url, place: PLACE }
      await openDatabase(address)
      for (const table of ['log', 'head', ...TABLES, 'failure_counts', 'mails', 'protocol_state']) {
        await database.ask(`ALTER TABLE portcullis.${table} RENAME TO lost`)
        expect(await refusalOf(openDatabase(address, { timeoutMs: 0 }))).to.equal(
          `The database ${PLACE} cannot be used: it lacks the table ${table}. Restore it from a back-up.`,
        )
        await database.ask(`ALTER TABLE portcullis.lost RENAME TO ${table}`)
      }
      await openDatabase(address)
    }),
  )

  it('with an encoding other than UTF8', async () => {
    await server.ask(
      "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
    )
    const { url, drop } = await server.newDatabase()
    await drop()
    expect(await refusalOf(openDatabase({ url: url.replace(/\w+$/, 'ascii'), place: PLACE }))).to.equal(
      `The database ${PLACE} cannot be used: its encoding is SQL_ASCII. Create a database with the encoding UTF8.`,
    )
    await server.ask('DROP DATABASE ascii')
  })
})

import { readFileSync } from 'node:fs'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import {
  expectMigratedSessions,
  expectSessionOfBefore,
  expectWritable,
} from '../support/migrated-sessions.ts'
import { rowsBeforeSessions, sessionOfBefore } from '../support/schema-before-sessions.ts'
import { describeOnPostgres, onEmpty, PLACE, type TestDatabase } from './database.ts'

const FIRST = new URL('../../adapters/stores/postgres/migrations/0001-initial.sql', import.meta.url)

/** A database with schema 1. */
const laySchema1 = async ({ ask }: TestDatabase): Promise<void> => {
  await ask(`
    CREATE SCHEMA portcullis;
    CREATE TABLE portcullis.migrations (number integer PRIMARY KEY, name text NOT NULL)`)
  await ask(readFileSync(FIRST, 'utf8'))
  await ask(`
    INSERT INTO portcullis.migrations VALUES (1, '0001-initial.sql');
    UPDATE portcullis.head SET position = 5;
    ${rowsBeforeSessions('portcullis.')}`)
}

describeOnPostgres('a PostgreSQL database of schema 1', (server) => {
  it(
    'keeps its sessions, with the sign-in method that the log records',
    onEmpty(server, async (database) => {
      await laySchema1(database)
      await openDatabase({ url: database.url, place: PLACE })
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectMigratedSessions(store)
      await expectWritable(store)
      await store.close()
    }),
  )

  it(
    'can still be written by an instance of the previous version until its replacement',
    onEmpty(server, async (database) => {
      await laySchema1(database)
      await openDatabase({ url: database.url, place: PLACE })
      await database.ask(sessionOfBefore('portcullis.'))
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectSessionOfBefore(store)
      await store.close()
    }),
  )
})

import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import {
  expectMigratedSessions,
  expectSessionOfBefore,
  expectWritable,
} from '../support/migrated-sessions.ts'
import { rowsBeforeSessions, sessionOfBefore } from '../support/schema-before-sessions.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { contents, withRaw } from './raw.ts'

/** A file with schema 3. */
const laySchema3 = (path: string): void => laySchema(path, 3, (db) => db.exec(rowsBeforeSessions()))

describe('a SQLite file of schema 3', () => {
  it(
    'keeps its sessions, with the sign-in method that the log records',
    onFile(async (path) => {
      laySchema3(path)
      const store = sqliteStore(path)
      await expectMigratedSessions(store)
      await expectWritable(store)
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration, and keeps its log',
    onFile(async (path) => {
      laySchema3(path)
      const { log } = contents(path)
      await expectSchemaOfNewFile(path)
      expect(contents(path).log).to.deep.equal(log)
    }),
  )

  it(
    'can still be written by a process of the previous version that has it open',
    onFile(async (path) => {
      laySchema3(path)
      const store = sqliteStore(path)
      withRaw(path, (db) => db.exec(sessionOfBefore()))
      await expectSessionOfBefore(store)
      await store.close()
    }),
  )
})

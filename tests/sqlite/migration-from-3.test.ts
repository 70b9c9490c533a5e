import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/driven/sqlite/database.ts'
import { sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import {
  expectMigratedSessions,
  expectSessionOfBefore,
  expectWritable,
} from '../support/migrated-sessions.ts'
import { rowsBeforeSessions, sessionOfBefore } from '../support/schema-before-sessions.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const MIGRATIONS = new URL('../../adapters/driven/sqlite/migrations/', import.meta.url)

/** A file with schema 3. */
const laySchema3 = (path: string): void =>
  withRaw(path, (db) => {
    db.pragma('journal_mode = WAL')
    for (const name of readdirSync(MIGRATIONS).sort().slice(0, 3))
      db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    db.pragma('user_version = 3')
    db.pragma(`application_id = ${0x504f5254}`)
    db.exec(rowsBeforeSessions())
  })

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
      openDatabase(path).close()
      expect(contents(path).log).to.deep.equal(log)
      const fresh = onFile(async (other) => {
        openDatabase(other).close()
        expect(contents(path).schema).to.deep.equal(contents(other).schema)
      })
      await fresh()
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

import { existsSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { migrationsIn } from '../../adapters/stores/records/migrations.ts'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, createdKey, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const TABLES = [
  'applications',
  'factors',
  'failure_counts',
  'keys',
  'log',
  'log_epoch',
  'mails',
  'one_time_tokens',
  'password_schemes',
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
  ...migrationsIn(new URL('../../adapters/stores/sqlite/migrations/', import.meta.url)),
  { name: '0002-remark.sql', sql: "ALTER TABLE users ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'" },
]

describe('opening a SQLite file', () => {
  it(
    'creates a missing file with the current schema',
    onFile(async (path) => {
      expect(existsSync(path)).to.equal(false)
      openDatabase(path).close()
      expect(tablesOf(path)).to.deep.equal(TABLES)
    }),
  )

  it(
    'initializes an empty file',
    onFile(async (path) => {
      writeFileSync(path, '')
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), createdKey()))
      expect(await wholeLog(store)).to.have.length(2)
      await store.close()
      expect(tablesOf(path)).to.deep.equal(TABLES)
    }),
  )

  it(
    'marks the file as a Portcullis database',
    onFile(async (path) => {
      openDatabase(path).close()
      const PCLS = 0x50434c53
      expect(contents(path).owner).to.equal(PCLS)
      expect(contents(path).schemaVersion).to.be.greaterThan(0)
    }),
  )

  it(
    'runs only the migrations that the file lacks, and keeps its content',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), createdKey()))
      await store.close()
      const { log, schemaVersion } = contents(path)
      expect(() => openDatabase(path, { opening: 'read-only', migrations: NEXT })).to.throw(
        `an older version of Portcullis wrote it (schema ${schemaVersion}). Start a service of this version, which migrates it.`,
      )
      openDatabase(path, { migrations: NEXT }).close()
      expect(contents(path)).to.deep.include({ log, schemaVersion: NEXT.length })
      expect(contents(path).users.map((user) => Object(user).remark)).to.deep.equal(['none'])
      expect(() => openDatabase(path)).to.throw(
        `a newer version of Portcullis wrote it (schema ${NEXT.length}). Start that version.`,
      )
    }),
  )

  it(
    'changes nothing if one of several migrations fails',
    onFile(async (path) => {
      openDatabase(path).close()
      const before = contents(path)
      const migrations = [...NEXT, { name: '0003-wrong.sql', sql: 'DROP TABLE absent' }]
      expect(() => openDatabase(path, { migrations })).to.throw('SQLITE_ERROR')
      expect(contents(path)).to.deep.equal(before)
    }),
  )

  it(
    'a second time changes nothing, also while it is open',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), createdKey()))
      const before = contents(path)
      openDatabase(path).close()
      await store.close()
      openDatabase(path).close()
      expect(contents(path)).to.deep.equal(before)
      expect(before.log).to.have.length(2)
    }),
  )
})

const tablesOf = (path: string): ReadonlyArray<unknown> =>
  withRaw(path, (db) =>
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all(),
  )

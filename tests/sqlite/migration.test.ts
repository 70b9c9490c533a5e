import { existsSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, createdKey, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

describe('opening a SQLite file', () => {
  it(
    'creates a missing file with the current schema',
    onFile(async (path) => {
      expect(existsSync(path)).to.equal(false)
      openDatabase(path).close()
      expect(tablesOf(path)).to.deep.equal([
        'applications',
        'factors',
        'failure_counts',
        'keys',
        'log',
        'log_epoch',
        'one_time_tokens',
        'password_schemes',
        'revoked_tokens',
        'server_notes',
        'sessions',
        'tiles',
        'tree',
        'users',
      ])
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
      expect(tablesOf(path)).to.deep.equal([
        'applications',
        'factors',
        'failure_counts',
        'keys',
        'log',
        'log_epoch',
        'one_time_tokens',
        'password_schemes',
        'revoked_tokens',
        'server_notes',
        'sessions',
        'tiles',
        'tree',
        'users',
      ])
    }),
  )

  it(
    'marks the file as a Portcullis database',
    onFile(async (path) => {
      openDatabase(path).close()
      const PORT = 0x504f5254
      expect(contents(path).owner).to.equal(PORT)
      expect(contents(path).schemaVersion).to.be.greaterThan(0)
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

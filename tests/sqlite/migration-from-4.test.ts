import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/driven/sqlite/database.ts'
import { PASSWORD_SCHEMES, sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import { expectLabelled, passwordOfBefore, usersBeforeSchemes } from '../support/records-before-schemes.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

const MIGRATIONS = new URL('../../adapters/driven/sqlite/migrations/', import.meta.url)

/** A file with schema 4. */
const laySchema4 = (path: string): void =>
  withRaw(path, (db) => {
    db.pragma('journal_mode = WAL')
    for (const name of readdirSync(MIGRATIONS).sort().slice(0, 4))
      db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    db.pragma('user_version = 4')
    db.pragma(`application_id = ${0x504f5254}`)
    db.exec(usersBeforeSchemes())
  })

const EVERYBODY = { table: 'users', after: '', limit: 100 } as const

describe('a SQLite file of schema 4', () => {
  it(
    'labels every password with its scheme and changes nothing else of a user',
    onFile(async (path) => {
      laySchema4(path)
      const store = sqliteStore(path)
      await expectLabelled(store)
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema4(path)
      openDatabase(path).close()
      const fresh = onFile(async (other) => {
        openDatabase(other).close()
        expect(contents(path).schema).to.deep.equal(contents(other).schema)
      })
      await fresh()
    }),
  )

  it(
    'can still be written by a process of the previous version, without password schemes',
    onFile(async (path) => {
      laySchema4(path)
      const store = sqliteStore(path)
      const before = await succeed(store.listPasswordSchemes())
      withRaw(path, (db) => db.exec(passwordOfBefore()))
      const users = await succeed(store.listRows(EVERYBODY))
      expect(users.find(({ id }) => id === 'of before')?.passwordScheme).to.equal('')
      expect(await succeed(store.listPasswordSchemes())).to.deep.equal(before)
      await store.close()
    }),
  )
})

describe('the query for password schemes in a SQLite file', () => {
  it(
    'reads the schemes only, and no user',
    onFile(async (path) => {
      openDatabase(path).close()
      const plan = withRaw(path, (db) =>
        db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${PASSWORD_SCHEMES}`).all(9),
      )
      expect(plan.map(({ detail }) => detail)).to.deep.equal(['SCAN password_schemes'])
    }),
  )
})

import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import { expectLabelled, passwordOfBefore, usersBeforeSchemes } from '../support/records-before-schemes.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

/** A file with schema 4. */
const laySchema4 = (path: string): void => laySchema(path, 4, (db) => db.exec(usersBeforeSchemes()))

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
      await expectSchemaOfNewFile(path)
    }),
  )

  it(
    'can still be written by a process of the previous version, without password schemes',
    onFile(async (path) => {
      laySchema4(path)
      const store = sqliteStore(path)
      const before = await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))
      withRaw(path, (db) => db.exec(passwordOfBefore()))
      const users = await succeed(store.listRows(EVERYBODY))
      expect(users.find(({ id }) => id === 'of before')?.passwordScheme).to.equal('')
      expect(await succeed(store.listPasswordSchemes({ after: '', limit: 100 }))).to.deep.equal(before)
      await store.close()
    }),
  )
})

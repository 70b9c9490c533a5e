import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import {
  changesOfBefore,
  emailsBeforeVersions,
  expectEmailVersions,
} from '../support/emails-before-versions.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

const laySchema10 = (path: string): void => laySchema(path, 10, (db) => db.exec(emailsBeforeVersions()))

describe('a SQLite file of schema 10', () => {
  it(
    'counts the e-mails of each user from the log: live one-time tokens stay live, ended ones stay ended',
    onFile(async (path) => {
      laySchema10(path)
      const store = sqliteStore(path)
      await expectEmailVersions(store)
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema10(path)
      await expectSchemaOfNewFile(path)
    }),
  )

  it(
    'can still be written by a process of the former version, without the new columns',
    onFile(async (path) => {
      laySchema10(path)
      const store = sqliteStore(path)
      withRaw(path, (db) => db.exec(changesOfBefore()))
      await expectEmailVersions(store, { isLater: true })
      await store.close()
    }),
  )
})

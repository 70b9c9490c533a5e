import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { expectRegistrationTimes, userOfBefore, usersBeforeListing } from '../support/users-before-listing.ts'
import { onFile } from './folder.ts'
import { expectSchemaOfNewFile, laySchema } from './older-schemas.ts'
import { withRaw } from './raw.ts'

/** A file with schema 6. */
const laySchema6 = (path: string): void => laySchema(path, 6, (db) => db.exec(usersBeforeListing()))

describe('a SQLite file of schema 6', () => {
  it(
    'takes the time of each registration from the log, except of removed users',
    onFile(async (path) => {
      laySchema6(path)
      const store = sqliteStore(path)
      await expectRegistrationTimes(store)
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration',
    onFile(async (path) => {
      laySchema6(path)
      await expectSchemaOfNewFile(path)
    }),
  )

  it(
    'can still be written by a process of the previous version, without the new columns',
    onFile(async (path) => {
      laySchema6(path)
      const store = sqliteStore(path)
      withRaw(path, (db) => db.exec(userOfBefore()))
      await expectRegistrationTimes(store, { isLater: true })
      await store.close()
    }),
  )
})

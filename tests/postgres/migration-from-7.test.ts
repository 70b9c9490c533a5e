import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import {
  changesOfBefore,
  ENTRIES_BEFORE_VERSIONS,
  ENTRIES_WITH_THOSE_OF_BEFORE,
  emailsBeforeVersions,
  expectEmailVersions,
} from '../support/emails-before-versions.ts'
import { describeOnPostgres, laySchema, onEmpty, PLACE, type TestDatabase } from './database.ts'

/** A database with schema 7. */
const laySchema7 = async (database: TestDatabase): Promise<void> => {
  const { ask } = database
  await laySchema(database, 7)
  await ask(`UPDATE portcullis.head SET position = ${ENTRIES_BEFORE_VERSIONS}`)
  await ask(emailsBeforeVersions('portcullis.'))
}

describeOnPostgres('a PostgreSQL database of schema 7', (server) => {
  it(
    'counts the e-mails of each user from the log: live one-time tokens stay live, ended ones stay ended',
    onEmpty(server, async (database) => {
      await laySchema7(database)
      await openDatabase({ url: database.url, place: PLACE })
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectEmailVersions(store)
      await store.close()
    }),
  )

  it(
    'can still be written by an instance of the previous version, without the new columns',
    onEmpty(server, async (database) => {
      await laySchema7(database)
      await openDatabase({ url: database.url, place: PLACE })
      await database.ask(`UPDATE portcullis.head SET position = ${ENTRIES_WITH_THOSE_OF_BEFORE}`)
      await database.ask(changesOfBefore('portcullis.'))
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectEmailVersions(store, { isLater: true })
      await store.close()
    }),
  )
})

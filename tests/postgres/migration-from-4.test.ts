import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { expectRegistrationTimes, userOfBefore, usersBeforeListing } from '../support/users-before-listing.ts'
import { describeOnPostgres, laySchema, onEmpty, PLACE, type TestDatabase } from './database.ts'

/** A database with schema 4. */
const laySchema4 = async (database: TestDatabase): Promise<void> => {
  const { ask } = database
  await laySchema(database, 4)
  await ask('UPDATE portcullis.head SET position = 5')
  await ask(usersBeforeListing('portcullis.'))
}

describeOnPostgres('a PostgreSQL database of schema 4', (server) => {
  it(
    'takes the time of each registration from the log, except of removed users',
    onEmpty(server, async (database) => {
      await laySchema4(database)
      await openDatabase({ url: database.url, place: PLACE })
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectRegistrationTimes(store)
      await store.close()
    }),
  )

  it(
    'can still be written by an instance of the previous version, without the new columns',
    onEmpty(server, async (database) => {
      await laySchema4(database)
      await openDatabase({ url: database.url, place: PLACE })
      await database.ask('UPDATE portcullis.head SET position = 6')
      await database.ask(userOfBefore('portcullis.'))
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectRegistrationTimes(store, { isLater: true })
      await store.close()
    }),
  )
})

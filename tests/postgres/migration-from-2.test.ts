import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { succeed } from '../support/outcome.ts'
import { expectLabelled, passwordOfBefore, usersBeforeSchemes } from '../support/records-before-schemes.ts'
import { describeOnPostgres, onEmpty, PLACE, type TestDatabase } from './database.ts'

const NAMES = ['0001-initial.sql', '0002-sessions.sql']
const EVERYBODY = { table: 'users', after: '', limit: 100 } as const

/** A database with schema 2. */
const laySchema2 = async ({ ask }: TestDatabase): Promise<void> => {
  await ask(`
    CREATE SCHEMA portcullis;
    CREATE TABLE portcullis.migrations (number integer PRIMARY KEY, name text NOT NULL)`)
  for (const [index, name] of NAMES.entries()) {
    await ask(
      readFileSync(new URL(`../../adapters/stores/postgres/migrations/${name}`, import.meta.url), 'utf8'),
    )
    await ask(`INSERT INTO portcullis.migrations VALUES (${index + 1}, '${name}')`)
  }
  await ask(usersBeforeSchemes('portcullis.'))
}

describeOnPostgres('a PostgreSQL database of schema 2', (server) => {
  it(
    'labels every password with its scheme and changes nothing else of a user',
    onEmpty(server, async (database) => {
      await laySchema2(database)
      await openDatabase({ url: database.url, place: PLACE })
      const store = postgresStore(connectionsTo(database.url, 2))
      await expectLabelled(store)
      await store.close()
    }),
  )

  it(
    'can still be written by an instance of the previous version, without password schemes',
    onEmpty(server, async (database) => {
      await laySchema2(database)
      await openDatabase({ url: database.url, place: PLACE })
      await database.ask(passwordOfBefore('portcullis.'))
      const store = postgresStore(connectionsTo(database.url, 2))
      const users = await succeed(store.listRows(EVERYBODY))
      expect(users.find(({ id }) => id === 'of before')?.passwordScheme).to.equal('')
      await store.close()
    }),
  )
})

import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store } from '../../application/ports/store.ts'
import type { User } from '../../domain/user.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { aUser, changeOf } from './changes.ts'

const registration = (user: User) => changeOf({ _tag: 'UserRegistered', user })

if (postgres !== undefined) {
  const server = postgres

  describe('e-mails that several instances change at once', () => {
    let database: Awaited<ReturnType<typeof server.newDatabase>>
    let store: Store
    let others: ReadonlyArray<pg.Client>
    beforeEach(async () => {
      database = await server.newDatabase()
      await openDatabase({ url: database.url, place: 'a database of the tests' })
      store = postgresStore(connectionsTo(database.url, 2))
      others = [new pg.Client(database.url), new pg.Client(database.url)]
      await Promise.all(others.map((other) => other.connect()))
    })
    afterEach(async () => {
      await Promise.all(others.map((other) => other.end()))
      await store.close()
      await database.drop()
    })

    const insert = (other: pg.Client | undefined, email: string) =>
      other?.query(
        `INSERT INTO portcullis.users (id, email, email_key, password_record, password_version, status, created_at, version)
         VALUES ($1, $1, $1, '', 1, 'enabled', 0, 1)`,
        [email],
      )

    it('are locked in order: a transaction that waits for one holds no later one', async () => {
      const [first, second] = others
      await first?.query('BEGIN')
      await insert(first, 'a@example.com')
      const names = ['c', 'b', 'a'].map((name) => aUser({ email: `${name}@example.com` }))
      const committing = Promise.all(names.map((user) => store.commit(registration(user))()))
      await eventually('the store waits for the first of them', async () => {
        const waiting = await server.ask(`SELECT 1 FROM pg_stat_activity
          WHERE wait_event = 'transactionid' AND datname = '${new URL(database.url).pathname.slice(1)}'`)
        return waiting.length === 1 ? true : undefined
      })
      await second?.query("SET lock_timeout = '2s'")
      await insert(second, 'b@example.com')
      await first?.query('ROLLBACK')
      const taken = { _tag: 'Left', left: { _tag: 'EmailTaken' } }
      expect(await committing).to.deep.equal([right(undefined), taken, right(undefined)])
    })

    it('can be exchanged by two users in concurrent changes', async () => {
      const [ada, bob] = [aUser({ email: 'ada@example.com' }), aUser({ email: 'bob@example.com' })]
      await succeed(
        store.commit(changeOf({ _tag: 'UserRegistered', user: ada }, { _tag: 'UserRegistered', user: bob })),
      )
      const rows = [
        { table: 'users', row: { ...ada, email: 'free@example.com', version: 2 } },
        { table: 'users', row: { ...bob, email: ada.email, version: 2 } },
        { table: 'users', row: { ...ada, email: bob.email, version: 3 } },
      ] as const
      await succeed(store.commit({ ...registration(aUser()), rows }))
      for (const [email, id] of [
        [ada.email, bob.id],
        [bob.email, ada.id],
      ] as const)
        expect(await succeed(store.findUserByEmail(email))).to.have.nested.property('value.id', id)
    })
  })
}

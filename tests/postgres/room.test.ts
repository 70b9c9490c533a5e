import { expect } from 'chai'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { reasonOf } from '../../adapters/stores/postgres/errors.ts'
import { type WatchedConnections, watchingRoom } from '../../adapters/stores/postgres/room.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { describeOnPostgres, newRole, onEmpty, PLACE, type TestDatabase } from './database.ts'

/** What a server with a full disk says. */
const FULL = "DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$"

const failOnce = async ({ connections }: WatchedConnections): Promise<void> => {
  await connections.write(FULL).then(
    () => expect.fail('it was written'),
    () => {},
  )
}

const reasonOfRefusal = ({ expectRoom }: WatchedConnections): Promise<string> =>
  expectRoom().then(() => 'there is room', reasonOf)

describeOnPostgres('the room of a PostgreSQL store after a change has failed for lack of it', (server) => {
  const watched = (
    test: (
      database: TestDatabase,
      watch: (connections?: (opened: Connections) => Connections, url?: string) => WatchedConnections,
    ) => Promise<void>,
  ) =>
    onEmpty(server, async (database) => {
      await openDatabase({ url: database.url, place: PLACE })
      const opened: Array<Connections> = []
      try {
        await test(database, (changed = (same) => same, url = database.url) => {
          const connections = connectionsTo(url, 2)
          opened.push(connections)
          return watchingRoom(changed(connections))
        })
      } finally {
        for (const connections of opened) await connections.close()
      }
    })

  it(
    'is not found by a look during which another change fails',
    watched(async (_, watch) => {
      const meanwhile: Array<() => Promise<void>> = []
      const room = watch((connections) => ({
        ...connections,
        transaction: async (work, options) => {
          const done = await connections.transaction(work, options)
          await meanwhile.pop()?.()
          return done
        },
      }))
      await failOnce(room)
      meanwhile.push(() => failOnce(room))
      expect(await reasonOfRefusal(room)).to.equal('a change has failed during the check')
      expect(await reasonOfRefusal(room)).to.equal('there is room')
    }),
  )

  it(
    'is known after the next commit if the user may not create temporary tables',
    watched(async (database, watch) => {
      const other = await newRole(server, database)
      try {
        await server.ask(`REVOKE TEMPORARY ON DATABASE ${database.name} FROM PUBLIC`)
        await database.ask(`GRANT USAGE ON SCHEMA portcullis TO ${other.role};
          GRANT ALL ON ALL TABLES IN SCHEMA portcullis TO ${other.role};
          GRANT ALL ON ALL SEQUENCES IN SCHEMA portcullis TO ${other.role}`)
        const room = watch(undefined, other.url)
        const store = postgresStore(room.connections)
        const notKnown =
          'a change has found no room, and this user may not create temporary tables, which would tell whether there is room again'
        await failOnce(room)
        await commitAll(store, change(issuedToken())) // before the look
        for (let time = 0; time < 2; time += 1) expect(await reasonOfRefusal(room)).to.equal(notKnown)
        await failOnce(room)
        await commitAll(store, change(issuedToken()))
        expect(await reasonOfRefusal(room)).to.equal(notKnown)
        await commitAll(store, change(issuedToken()))
        expect(await reasonOfRefusal(room)).to.equal('there is room')
        await store.close()
      } finally {
        await other.remove()
      }
    }),
  )
})

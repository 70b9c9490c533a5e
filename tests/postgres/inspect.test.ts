import { expect } from 'chai'
import pg from 'pg'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { inspectPostgres } from '../../adapters/stores/postgres/inspect.ts'
import { contents, describeOnPostgres, newRole, onEmpty, PLACE } from './database.ts'

describeOnPostgres('the inspection of a PostgreSQL database', (server) => {
  it(
    'changes nothing and reports a healthy database',
    onEmpty(server, async (database) => {
      const address = { url: database.url, place: PLACE }
      await openDatabase(address)
      const before = await contents(database)
      const [store, durability, connections, restores, ...others] = await inspectPostgres(
        address,
        10,
        undefined,
      )
      expect(store?.detail).to.match(/^PostgreSQL \d+\.\d+ at a database of the tests can be used\.$/)
      expect(durability).to.have.property('name', 'durability') // durability.test.ts judges it
      expect(restores).to.deep.equal({
        name: 'restores',
        ok: true,
        detail: 'the log gets a new epoch after a restore or a fail-over.',
      })
      expect([store?.ok, connections?.ok, others]).to.deep.equal([true, true, []])
      expect(await contents(database)).to.deep.equal(before)
    }),
  )

  it(
    'counts all connections, also for a user without permission to see their activity',
    onEmpty(server, async (database) => {
      const { url, role, remove } = await newRole(server, database)
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${role}`)
      await openDatabase({ url, place: PLACE })
      const others = Array.from({ length: 8 }, () => new pg.Client(database.url))
      for (const other of others) await other.connect()
      const found = await inspectPostgres({ url, place: PLACE }, 10, undefined)
      const [, taken = 0, most] =
        /^(\d+) of the server's (\d+) connections are used, and each instance uses up to 10\.$/.exec(
          found.find(({ name }) => name === 'connections')?.detail ?? '',
        ) ?? []
      expect(Number(taken)).to.be.greaterThan(8)
      expect(Number(most), 'without the connections that are reserved for superusers').to.equal(197)
      for (const other of others) await other.end()
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
      await remove()
    }),
  )

  it(
    'tells a user who may not query the server’s identity to renew the log manually',
    onEmpty(server, async (database) => {
      const { url, role, remove } = await newRole(server, database)
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${role}`)
      await database.ask('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC')
      await openDatabase({ url, place: PLACE })
      const found = await inspectPostgres({ url, place: PLACE }, 10, undefined)
      expect(found.find(({ name }) => name === 'restores')).to.deep.equal({
        name: 'restores',
        ok: true,
        detail:
          'this user may not call pg_control_system() or pg_walfile_name(). A former primary is not refused. After a restore or a fail-over, run: portcullis events renew.',
      })
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
      await remove()
    }),
  )

  it(
    'tests whether notifications arrive through the direct URL',
    onEmpty(server, async ({ url }) => {
      const address = { url, place: PLACE }
      await openDatabase(address)
      const listening = async (directUrl: string) =>
        (await inspectPostgres(address, 10, directUrl)).find(({ name }) => name === 'listening')
      expect(await listening(url)).to.deep.equal({
        name: 'listening',
        ok: true,
        detail: 'instances hear of rotated keys at once.',
      })
      for (const [elsewhere, why] of [
        [url.replace(/\/\w+$/, '/postgres'), 'no notification arrived'],
        [url.replace(/:[^/:]*@/, ':wrong@'), 'PostgreSQL says 28P01'],
      ] as const) {
        const found = await listening(elsewhere)
        expect([found?.ok, found?.detail]).to.deep.equal([
          false,
          `DATABASE_DIRECT_URL receives no notifications (${why}). It must name the same database, on the server itself instead of a pooler.`,
        ])
      }
    }),
  )
})

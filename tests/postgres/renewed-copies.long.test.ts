import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { AT, change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, ok, tally, unavailable, wholeLog } from '../testkit/outcome.ts'
import { describeOnPostgres, newRole, onEmpty, PLACE, type TestDatabase } from './database.ts'

const openStore = async (url: string): Promise<Store> => {
  await openDatabase({ url, place: PLACE })
  return postgresStore(connectionsTo(url, 2))
}

const renewalsIn = async (store: Store) =>
  (await wholeLog(store)).flatMap((entry) =>
    entry.type === 'LogRenewed' ? [{ at: entry.at, actor: entry.actor, data: entry.data }] : [],
  )

type Restored = Readonly<{ what: string; sql: string }>

/** The state of the database after a restore. */
const RESTORES: ReadonlyArray<Restored> = [
  {
    what: 'on a server with another system identifier',
    sql: "UPDATE portcullis.head SET place = '1' || place",
  },
  {
    what: 'on a server with another timeline',
    sql: "UPDATE portcullis.head SET place = left(place, -1) || '9'",
  },
  {
    what: 'with a re-created table, as pg_restore does on the same server',
    sql: `
      CREATE TABLE portcullis.restored (LIKE portcullis.head INCLUDING ALL);
      INSERT INTO portcullis.restored SELECT * FROM portcullis.head;
      DROP TABLE portcullis.head;
      ALTER TABLE portcullis.restored RENAME TO head`,
  },
]

describeOnPostgres('a PostgreSQL store that continues from a copy', (server) => {
  for (const { what, sql } of RESTORES)
    for (const [kind, next] of [
      ['a change without rows', () => change(issuedToken())],
      ['a change with rows', () => change(registered(), issuedToken())],
    ] as const)
      it(
        `${what}, starts a new epoch before it writes ${kind}`,
        onEmpty(server, async (database) => {
          const before = await openStore(database.url)
          await commitAll(before, change(issuedToken(), issuedToken()))
          const epoch = await ok(before.readEpoch())
          await before.close()
          await database.ask(sql)

          const stores = [await openStore(database.url), await openStore(database.url)] as const
          expect(await ok(stores[0].readEpoch()), 'before the first write').to.equal(epoch)
          const outcomes = await Promise.all(stores.map((store) => commitAtOnce(store, [next(), next()])))
          expect(tally(outcomes.flat())).to.deep.equal({ success: 4 })
          expect(await renewalsIn(stores[0])).to.deep.equal([
            { at: AT, actor: { kind: 'nobody' }, data: { previous_origin: epoch, size: 2 } },
          ])
          expect(await ok(stores[1].readEpoch()))
            .to.match(/^[0-9a-f]{8}$/)
            .and.not.equal(epoch)
          for (const store of stores) await store.close()
        }),
      )

  it(
    'continues to commit while the user may not query the server’s identity, and compares it as soon as possible',
    onEmpty(server, async (database) => {
      const { url, role, remove } = await newRole(server, database)
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${role}`)
      await database.ask('REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC')
      const forbidden = await openStore(url)
      await commitAll(forbidden, change(issuedToken()), change(registered()))
      await forbidden.close()
      expect(await placeIn(database)).to.equal(null)

      await database.ask('GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC')
      const allowed = await openStore(url)
      await commitAll(allowed, change(issuedToken()))
      expect(await placeIn(database)).to.match(/^\d+\/[0-9A-F]{8}$/)
      expect(await renewalsIn(allowed)).to.deep.equal([])
      await allowed.close()
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
      await remove()
    }),
  )

  it('on a promoted standby, starts a new epoch without being reopened', async () => {
    const own = await startPostgresServer()
    try {
      const { url } = await own.newDatabase()
      const primary = await openStore(url)
      await commitAll(primary, change(issuedToken()))
      const epoch = await ok(primary.readEpoch())
      await primary.close()

      const [setting] = await own.ask('SHOW data_directory')
      await own.stop()
      layStandbySignal(String(setting?.data_directory))
      const started = own.start() // it waits for a writable server
      await eventually('the standby answers', () => own.ask('SELECT 1').catch(() => undefined))
      const store = postgresStore(connectionsTo(url, 1))
      await unavailable(store.commit(change(issuedToken())))
      await own.ask('SELECT pg_promote()')
      await started
      await commitAll(store, change(issuedToken()), change(registered()))

      expect(await renewalsIn(store)).to.deep.equal([
        { at: AT, actor: { kind: 'nobody' }, data: { previous_origin: epoch, size: 1 } },
      ])
      await store.close()
    } finally {
      await own.remove()
    }
  }).timeout(120_000)
})

const placeIn = async ({ ask }: TestDatabase): Promise<unknown> =>
  (await ask('SELECT place FROM portcullis.head'))[0]?.place

/** A server with this file replays its WAL and then waits for promotion. */
const layStandbySignal = (folder: string): void => {
  const file = join(folder, 'standby.signal')
  writeFileSync(file, '')
  if (userInfo().uid === 0) execFileSync('chown', ['--reference', folder, file])
}

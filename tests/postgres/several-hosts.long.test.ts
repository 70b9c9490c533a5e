import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import { PASSWORD } from '../support/postgres-client.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { startService } from '../support/running-service.ts'
import { aSession, aUser, changeOf, said } from './changes.ts'
import { refusalOf } from './database.ts'

const user = aUser()
const session = aSession({ userId: user.id })

if (postgres !== undefined) {
  describe('a store whose URL names several hosts', function () {
    this.timeout(60_000)
    let primary: PostgresServer
    let standby: PostgresServer
    /** Accepts connections and never answers. */
    let silent: PostgresProxy
    let database: string
    /** Each place that a test can name, as HOST:PORT. */
    let hosts: Readonly<Record<'primary' | 'standby' | 'away' | 'silent' | 'unknown', string>>
    const stores: Array<Store> = []

    before(async () => {
      primary = await startPostgresServer()
      const { url } = await primary.newDatabase()
      database = url
      standby = await primary.standby()
      silent = await postgresProxy(primary.port)
      silent.silence()
      hosts = {
        primary: `127.0.0.1:${primary.port}`,
        standby: `127.0.0.1:${standby.port}`,
        away: `127.0.0.1:${await freePort()}`,
        silent: new URL(silent.url(url)).host,
        unknown: 'nowhere.invalid',
      }
    })
    after(async () => {
      for (const store of stores) await store.close()
      await silent?.close()
      await primary?.remove()
    })

    type Host = keyof typeof hosts

    const at = (...names: ReadonlyArray<Host>): string =>
      `${database.replace(hosts.primary, names.map((name) => hosts[name]).join())}?target_session_attrs=read-write`

    const placeOf = (...names: ReadonlyArray<Host>): string => `postgres://${names.join()}`

    const storeAt = async (...names: ReadonlyArray<Host>): Promise<Store> => {
      await openDatabase({ url: at(...names), place: placeOf(...names) })
      const store = postgresStore(connectionsTo(at(...names), 4))
      stores.push(store)
      return store
    }

    const canWrite = (store: Store) => async () =>
      isRight(await store.commit(changeOf(said()))()) ? true : undefined

    it('starts with the standby named first, and creates its tables on the primary', async () => {
      const store = await storeAt('standby', 'primary')
      await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user })))
      await succeed(store.commit(changeOf({ _tag: 'UserSignedIn', session })))
    })

    it('reads from the primary, also while the standby lags behind', async () => {
      const store = await storeAt('standby', 'primary')
      await standby.ask('SELECT pg_wal_replay_pause()')
      try {
        const late = aUser()
        await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user: late })))
        const found = await Promise.all(
          Array.from({ length: 16 }, () => succeed(store.findUserByEmail(late.email))),
        )
        for (const one of found) expect(one).to.have.nested.property('value.id', late.id)
      } finally {
        await standby.ask('SELECT pg_wal_replay_resume()')
      }
    })

    for (const [name, first] of [
      ['refuses connections', 'away'],
      ['does not exist', 'unknown'],
      ['does not answer', 'silent'],
    ] as const) {
      it(`leaves out a host that ${name}`, async () => {
        const store = await storeAt(first, 'standby', 'primary')
        await succeed(store.commit(changeOf(said())))
        const found = await succeed(store.findSession(session.id))
        expect(found).to.have.nested.property('value.user.id', user.id)
      })
    }

    it('lets a service start and answer', async () => {
      const service = await startService({ DATABASE_URL: at('standby', 'away', 'primary') })
      try {
        expect((await service.send({ method: 'GET', path: '/readyz' })).status).to.equal(200)
        expect(await service.userToken()).to.be.a('string')
      } finally {
        await service.stop()
      }
    })

    it('is refused with all hosts and without the password if none of them is a primary', async () => {
      for (const names of [
        ['standby', 'away'],
        ['away', 'standby'],
        ['away', 'unknown'],
      ] as const) {
        const opening = openDatabase({ url: at(...names), place: placeOf(...names) }, { timeoutMs: 0 })
        const refusal = await refusalOf(opening)
        expect(refusal).to.include(`The database postgres://${names.join()} cannot be used: `)
        expect(refusal).not.to.include(PASSWORD)
      }
    })

    describe('after a promotion', () => {
      const open: Array<readonly [order: string, store: Store]> = []
      before(async () => {
        for (const names of [
          ['primary', 'standby'],
          ['standby', 'primary'],
          ['silent', 'primary', 'standby'],
        ] as const) {
          const store = await storeAt(...names)
          await succeed(store.findSession(session.id))
          open.push([names.join(), store])
        }
        await primary.stop() // the standby has received everything
        await standby.ask('SELECT pg_promote()')
      })

      it('writes to the new primary without a restart, in each order of the hosts', async () => {
        for (const [order, store] of open) await eventually(`${order} writes`, canWrite(store))
      })

      it('reads from the new primary what was written before', async () => {
        for (const [order, store] of open) {
          const found = await succeed(store.findSession(session.id))
          expect(found, order).to.have.nested.property('value.user.id', user.id)
        }
      })

      it('does not return to the old primary that runs again and is named first', async () => {
        await primary.start()
        const name = new URL(database).pathname.slice(1)
        const written = 'SELECT count(*) FROM portcullis.log'
        const [before] = await primary.ask(written, name)
        await standby.ask(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
        )
        for (const [order, store] of open) {
          await eventually(`${order} writes`, canWrite(store))
          const user = aUser()
          await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user })))
          const found = `SELECT FROM portcullis.users WHERE id = '${user.id}'`
          expect(await standby.ask(found, name), order).to.have.lengthOf(1)
        }
        expect(await primary.ask(written, name)).to.deep.equal([before])
      })
    })
  })
}

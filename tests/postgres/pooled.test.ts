import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { postgres } from '../support/postgres.ts'
import { REMOVE_ROWS } from '../support/postgres-rows.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'
import { startTwoInstances } from '../support/two-instances.ts'
import { failureCountsContract } from '../testkit/failure-counts.ts'
import { storeContract } from '../testkit/store.ts'
import { aUser, changeOf, said } from './changes.ts'

/** A separate database behind a pooler with two connections to the server. */
type Pooled = Readonly<{
  url: string
  /** Session state that clients left on a connection after a transaction, if the pooler can see it. */
  left: () => Promise<ReadonlyArray<string>>
  close: () => Promise<void>
}>

if (postgres !== undefined) {
  const server = postgres

  const throughOurs = async (): Promise<Pooled> => {
    const { url, drop } = await server.newDatabase()
    const pooler = await startTransactionPooler(url)
    return {
      url: pooler.url,
      left: pooler.left,
      close: () => pooler.close().then(drop),
    }
  }
  const throughPgBouncer = async (): Promise<Pooled> => {
    const { url, drop } = await server.newDatabase()
    const pgBouncer = await startPgBouncer(url)
    return {
      url: pgBouncer.through(url),
      left: async () => [],
      close: () => pgBouncer.stop().then(drop),
    }
  }

  const POOLERS: Readonly<Record<string, () => Promise<Pooled>>> = {
    'a pooler that reports leftover session state': throughOurs,
    ...(hasPgBouncer ? { PgBouncer: throughPgBouncer } : {}),
  }

  for (const [name, start] of Object.entries(POOLERS)) {
    describe(`through ${name}, in transaction mode,`, () => {
      let pooled: Pooled
      let direct: pg.Client
      const open = (url: string) => openDatabase({ url, place: 'a database of the tests' })
      before(async () => {
        pooled = await start()
        await open(pooled.url)
        const url = new URL(pooled.url)
        url.port = String(server.port)
        direct = new pg.Client(url.href)
        await direct.connect()
      })
      after(async () => {
        await direct.end()
        await pooled.close()
      })

      /** One database for all cases, because creating one takes longer than a case. */
      const opened = async (): Promise<string> => {
        await direct.query(REMOVE_ROWS)
        return pooled.url
      }
      const nothingIsLeft = async (): Promise<void> => {
        expect(await pooled.left()).to.deep.equal([])
      }

      describe('a store on PostgreSQL', () => {
        storeContract({ describe, it }, async () => ({
          store: postgresStore(connectionsTo(await opened(), 4)),
          close: nothingIsLeft,
        }))
      })

      describe('failure counts in PostgreSQL', () => {
        failureCountsContract({ describe, it }, async (clock, keptAtMost) => {
          const connections = connectionsTo(await opened(), 4)
          return {
            counts: postgresFailureCounts(connections, clock, keptAtMost),
            close: () => connections.close().then(nothingIsLeft),
          }
        })
      })

      it('lets several instances create the schema once when they start at the same time', async () => {
        await direct.query('DROP SCHEMA portcullis CASCADE')
        await Promise.all(Array.from({ length: 6 }, () => open(pooled.url)))
        await nothingIsLeft()
      })

      it('lets several instances write one log with more connections than the pooler has', async () => {
        const url = await opened()
        const stores = Array.from({ length: 3 }, () => postgresStore(connectionsTo(url, 4)))
        const register = async (number: number) => {
          const registering = stores.map(async ({ commit }) => {
            const user = aUser({ email: `wanted-${number}@example.com` })
            const [one, other] = await Promise.all([
              commit(changeOf(said(), said()))(),
              commit(changeOf({ _tag: 'UserRegistered', user }))(),
            ])
            return [one._tag, isRight(other) ? 'made' : other.left._tag]
          })
          return (await Promise.all(registering)).flat().sort()
        }
        const outcomes = await Promise.all(Array.from({ length: 40 }, (_, number) => register(number)))
        for (const outcome of outcomes)
          expect(outcome).to.deep.equal(['EmailTaken', 'EmailTaken', 'Right', 'Right', 'Right', 'made'])
        const [store] = stores
        if (store === undefined) throw new Error('no store')
        const { entries, disagreements } = await succeed(
          checkLog({ store, clock: Date.now, digests: nodeDigests }),
        )
        expect({ entries, disagreements }).to.deep.equal({ entries: 40 * 7, disagreements: [] })
        await Promise.all(stores.map((each) => each.close()))
        await nothingIsLeft()
      })

      it('lets two services act as one and notify each other of rotated keys outside the pooler', async () => {
        await opened()
        const now = Date.now()
        const direct = new URL(pooled.url)
        direct.port = String(server.port)
        const both = await startTwoInstances(
          { url: pooled.url },
          { DATABASE_DIRECT_URL: direct.href },
          provide(Dependency.clock, () => () => now),
        )
        const { one, other } = both
        const token = await one.userToken()
        const profile = async () =>
          (await other.send({ method: 'GET', path: '/api/v1/profile', token })).status
        expect(await profile()).to.equal(200)
        const change = {
          method: 'POST',
          path: '/api/v1/profile/change_password',
          token,
          body: { old_password: one.user.password, new_password: 'new', new_password_check: 'new' },
        }
        expect(
          (await other.send({ ...change, body: { ...change.body, old_password: 'wrong' } })).status,
        ).to.equal(422)
        expect((await other.send(change)).status).to.equal(200)
        const later = await one.userToken({ email: one.user.email, password: 'new' })
        expect(
          (await one.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: later })).status,
        ).to.equal(200)
        expect(await profile()).to.equal(200)
        await succeed(one.service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: true }))
        await eventually('it is heard', async () => ((await profile()) === 401 ? true : undefined))
        await both.stop()
        await nothingIsLeft()
      })
    })
  }

  describe('the pooler of these tests', () => {
    /** Session state that PgBouncer would pass from one client to the next. */
    const LEAVINGS: Readonly<Record<string, (client: pg.Client) => Promise<unknown>>> = {
      'the setting lock_timeout': (client) => client.query("SET lock_timeout = '1s'"),
      'listening to something': (client) => client.query('LISTEN something'),
      'an advisory lock': (client) => client.query('SELECT pg_advisory_lock(1)'),
      'the prepared statement mine': (client) => client.query({ name: 'mine', text: 'SELECT 1' }),
    }
    for (const [what, leave] of Object.entries(LEAVINGS)) {
      it(`reports ${what}`, async () => {
        const { url, left, close } = await throughOurs()
        const client = new pg.Client(url)
        await client.connect()
        await leave(client)
        await client.query('SELECT 1')
        await client.end()
        expect(await left()).to.deep.equal([what])
        await close()
      })
    }

    it('gives the next transaction another connection', async () => {
      const { url, close } = await throughOurs()
      const client = new pg.Client(url)
      await client.connect()
      const ids = new Set<number>()
      for (let time = 0; time < 4; time += 1)
        ids.add((await client.query('SELECT pg_backend_pid() AS id')).rows[0].id)
      expect(ids.size).to.equal(2)
      await client.end()
      await close()
    })

    it('refuses a client that sets a parameter at connection', async () => {
      const { url, close } = await throughOurs()
      const client = new pg.Client({ connectionString: url, statement_timeout: 1_000 })
      const refused = await client.connect().then(
        () => 'let in',
        (error: Error) => error.message,
      )
      expect(refused).to.equal('unsupported startup parameter: statement_timeout')
      await close()
    })
  })
}

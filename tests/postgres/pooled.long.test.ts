import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import { KEY_PURPOSES } from '../../domain/signing-key.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { postgres } from '../support/postgres.ts'
import { REMOVE_ROWS } from '../support/postgres-rows.ts'
import { CONTEXT } from '../support/request-context.ts'
import { startTwoInstances } from '../support/two-instances.ts'
import { failureCountsContract } from '../testkit/failure-counts.ts'
import { protocolStateContract } from '../testkit/protocol-state.ts'
import { storeContract } from '../testkit/store.ts'
import { aUser, changeOf, said } from './changes.ts'

/** Session state that PgBouncer passes from one client to the next, apart from what it sets itself. */
const WHAT_IS_LEFT = `
  SELECT 'the prepared statement ' || name AS what FROM pg_prepared_statements
  UNION ALL SELECT 'the cursor ' || name FROM pg_cursors WHERE name <> ''
  UNION ALL SELECT 'listening to ' || channel FROM pg_listening_channels() AS channel
  UNION ALL SELECT 'an advisory lock' FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
  UNION ALL SELECT 'the setting ' || name FROM pg_settings WHERE source = 'session' AND lower(name) NOT IN
    ('client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name')`

if (postgres !== undefined) {
  const server = postgres

  if (hasPgBouncer)
    describe('through PgBouncer, in transaction mode,', () => {
      let bouncer: PgBouncer
      let pooled: Readonly<{ url: string; drop: () => Promise<void> }>
      let direct: pg.Client
      const open = (url: string) => openDatabase({ url, place: 'a database of the tests' })
      before(async () => {
        const { url: there, drop } = await server.newDatabase()
        bouncer = await startPgBouncer(there)
        pooled = { url: bouncer.through(there), drop }
        await open(pooled.url)
        const url = new URL(pooled.url)
        url.port = String(server.port)
        direct = new pg.Client(url.href)
        await direct.connect()
      })
      after(async () => {
        await direct.end()
        await bouncer.stop()
        await pooled.drop()
      })

      /** One database for all cases, because creating one takes longer than a case. */
      const opened = async (): Promise<string> => {
        await direct.query(REMOVE_ROWS)
        return pooled.url
      }
      /** What clients left on the two connections to the server, each held by a transaction. */
      const left = async (): Promise<ReadonlyArray<string>> => {
        const clients = [new pg.Client(pooled.url), new pg.Client(pooled.url)]
        for (const client of clients) {
          await client.connect()
          await client.query('BEGIN')
        }
        const found = await Promise.all(clients.map((client) => client.query(WHAT_IS_LEFT)))
        for (const client of clients) await client.end()
        return found.flatMap(({ rows }) => rows.map(({ what }) => String(what)))
      }
      const nothingIsLeft = async (): Promise<void> => {
        expect(await left()).to.deep.equal([])
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

      describe('protocol state in PostgreSQL', () => {
        protocolStateContract({ describe, it }, async (keptAtMost) => {
          const connections = connectionsTo(await opened(), 4)
          return {
            state: postgresProtocolState(connections, keptAtMost),
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

      it('would show what a client leaves', async () => {
        const client = new pg.Client(pooled.url)
        await client.connect()
        await client.query("SET lock_timeout = '1s'; LISTEN something; SELECT pg_advisory_lock(1)")
        expect(await left()).to.have.members([
          'the setting lock_timeout',
          'listening to something',
          'an advisory lock',
        ])
        await client.query('RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all()')
        await client.end()
      })
    })
}

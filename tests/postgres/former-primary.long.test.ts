import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventually } from '../support/eventually.ts'
import { fail, succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresProxy } from '../support/postgres-proxy.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { startService } from '../support/running-service.ts'
import { aUser, changeOf, said } from './changes.ts'
import { describeOnPostgres, newRole, onEmpty, PLACE } from './database.ts'
import { openDoor, WAYS } from './door.ts'

/** A primary that still runs after its standby was promoted. */
type Split = Readonly<{
  former: PostgresServer
  current: PostgresServer
  /** The address that the service knows. It leads to the former primary until a test moves it. */
  door: PostgresProxy
  url: string
  remove: () => Promise<void>
}>

const startPair = async (isPooled: boolean): Promise<Split> => {
  const former = await startPostgresServer()
  const { url } = await former.newDatabase()
  await openDatabase({ url, place: PLACE })
  const current = await former.standby()
  const { proxy: door, url: throughDoor, close } = await openDoor(former, url, isPooled)
  return {
    former,
    current,
    door,
    url: throughDoor,
    remove: async () => {
      await close()
      await former.remove()
    },
  }
}

const promote = async ({ current }: Pick<Split, 'current'>): Promise<void> => {
  await current.ask('SELECT pg_promote(true)')
}

const ASKED: ReadonlyArray<
  readonly [
    string,
    (opened: Readonly<{ store: Store; connections: Connections }>) => TaskEither<unknown, unknown>,
  ]
> = [
  ['a look-up', ({ store }) => store.findApplication('nobody')],
  ['a list', ({ store }) => store.readEvents({ after: 0, limit: 1 })],
  ['an append', ({ store }) => store.commit(changeOf(said()))],
  ['a commit with rows', ({ store }) => store.commit(changeOf({ _tag: 'UserRegistered', user: aUser() }))],
  [
    'a failure count',
    ({ connections }) =>
      postgresFailureCounts(connections, Date.now).update({ kind: 'account', key: 'key' }, () => ({
        kept: none,
        answer: 1,
      })),
  ],
  ['the check of /readyz', ({ store }) => store.checkWritable()],
]

const REASON = 'the server is on the timeline 00000001, and another one was on 00000002'

for (const [name, isPooled] of WAYS)
  describe(`a store that reaches ${name} a former primary, which still runs`, function () {
    this.timeout(60_000)
    let pair: Split
    let connections: Connections
    let store: Store
    const heard: Array<string | undefined> = []
    before(async () => {
      pair = await startPair(isPooled)
      connections = connectionsTo(pair.url, 4, {
        patienceMs: 0,
        onServerRefused: (reason) => heard.push(reason),
      })
      store = postgresStore(connections)
    })
    after(async () => {
      await store?.close()
      await pair?.remove()
    })

    const leadTo = (server: PostgresServer): void => {
      pair.door.leadTo(server.port)
      pair.door.cut('ended')
    }
    const logOn = async (server: PostgresServer): Promise<unknown> =>
      server.ask('SELECT id FROM portcullis.log ORDER BY position', new URL(pair.url).pathname.slice(1))

    it('uses it until it meets the new one', async () => {
      await succeed(store.commit(changeOf(said())))
      await promote(pair)
      await succeed(store.commit(changeOf(said())))
      leadTo(pair.current)
      const before = await logOn(pair.former)
      await eventually('the new one answers', async () =>
        isRight(await store.commit(changeOf(said()))()) ? true : undefined,
      )
      expect(await logOn(pair.former)).to.deep.equal(before)
    })

    for (const [what, ask] of ASKED)
      it(`then refuses the former one (${what})`, async () => {
        leadTo(pair.former)
        const before = await logOn(pair.former)
        await eventually('it is refused as a former primary', async () => {
          const failure = (await fail(ask({ store, connections }))) as StoreUnavailable
          expect(failure).to.not.have.property('outcome')
          return failure.reason === REASON ? true : undefined // PgBouncer first reports the lost connection
        })
        expect(await logOn(pair.former)).to.deep.equal(before)
      })

    it('goes on as soon as the new one answers again', async () => {
      leadTo(pair.current)
      for (const [what, ask] of ASKED)
        await eventually(what, async () => (isRight(await ask({ store, connections })()) ? true : undefined))
      await eventually('it is told', async () => {
        await succeed(store.findApplication('nobody'))
        return heard.length > 1 ? true : undefined
      })
      expect(heard).to.deep.equal([REASON, undefined])
    })

    it('accepts another system, which an operator has put in its place', async () => {
      const other = await startPostgresServer()
      try {
        const database = new URL(pair.url).pathname.slice(1)
        await other.ask(`CREATE DATABASE ${database}`)
        await openDatabase({ url: pair.url.replace(/:\d+\//, `:${other.port}/`), place: PLACE })
        leadTo(other)
        for (const [what, ask] of ASKED)
          await eventually(what, async () =>
            isRight(await ask({ store, connections })()) ? true : undefined,
          )
      } finally {
        leadTo(pair.current)
        await other.remove()
      }
    })
  })

if (postgres !== undefined)
  describe('a store of several hosts whose primary was replaced and runs on', function () {
    this.timeout(60_000)

    it('finds the new primary when a commit of the former one waits for ever, and writes once there', async () => {
      const former = await startPostgresServer()
      const { url } = await former.newDatabase()
      await openDatabase({ url, place: PLACE })
      const current = await former.standby()
      const ports = [former, current].map(({ port }) => `127.0.0.1:${port}`)
      const connections = connectionsTo(url.replace(`127.0.0.1:${former.port}`, ports.join()), 4, {
        queryTimeoutMs: 400,
      })
      const store = postgresStore(connections)
      try {
        await succeed(store.commit(changeOf(said())))
        await promote({ current })
        // Like a primary without its Patroni: its commits wait for the standby that has replaced it.
        await former.ask(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
        await former.ask('SELECT pg_reload_conf()')
        // A session shows the setting before the process that makes commits wait has read it.
        await eventually('its commits wait', async () => {
          former.ask(`SELECT pg_logical_emit_message(true, 'probe', '')`, 'postgres').catch(() => {})
          const waiting = await former.ask(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
          return waiting.length > 0 ? true : undefined
        })
        const kept = changeOf(said())
        await succeed(store.commit(kept))
        const user = aUser()
        await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user })))
        const database = new URL(url).pathname.slice(1)
        const ids = async (server: PostgresServer) =>
          (await server.ask(`SELECT id FROM portcullis.log WHERE id = '${kept.id}'`, database)).length
        expect([await ids(former), await ids(current)]).to.deep.equal([0, 1])
        expect(await succeed(store.findUserByEmail(user.email))).to.have.property('_tag', 'Some')
      } finally {
        await former.ask('ALTER SYSTEM RESET synchronous_standby_names')
        await former.ask('SELECT pg_reload_conf()')
        await store.close()
        await former.remove()
      }
    })
  })

if (postgres !== undefined)
  describe('a service that reaches a former primary', function () {
    this.timeout(60_000)

    it('says so on /readyz and in its log', async () => {
      const pair = await startPair(false)
      const { log, lines } = capturedLog()
      const service = await startService(
        { DATABASE_URL: pair.url },
        provide(Dependency.log, () => log),
      )
      const ready = () => service.send({ method: 'GET', path: '/readyz' })
      const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ cause }) => cause === REASON)
      try {
        expect((await ready()).status).to.equal(200)
        await promote(pair)
        pair.door.leadTo(pair.current.port)
        pair.door.cut('ended')
        expect((await ready()).status).to.equal(200)
        pair.door.leadTo(pair.former.port)
        pair.door.cut('ended')
        expect((await ready()).body).to.deep.equal({
          success: false,
          code: 503,
          message: `The store is not available now: ${REASON}.`,
          outcome: 'none',
        })
        expect(warnings().map(({ msg }) => msg)).to.include(
          'DATABASE_URL leads to a former primary, which is refused: stop it, or restart the instances if it is a restored copy',
        )
        pair.door.leadTo(pair.current.port)
        await eventually('it is ready', async () => ((await ready()).status === 200 ? true : undefined))
        await eventually('it says so', async () => {
          await ready()
          return lines.some((line) => line.includes('the current server of DATABASE_URL answers again'))
            ? true
            : undefined
        })
      } finally {
        pair.door.leadTo(pair.current.port)
        await service.stop()
        await pair.remove()
      }
    })
  })

describeOnPostgres('a user who may not ask for the timeline', (server) => {
  it(
    'reads and writes all the same, also if the right is lost meanwhile',
    onEmpty(server, async (database) => {
      const { url, role, remove } = await newRole(server, database)
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO ${role}`)
      await openDatabase({ url, place: PLACE })
      const connections = connectionsTo(url, 2, { patienceMs: 0 })
      const store = postgresStore(connections)
      // A commit compares the timeline for another second.
      const askAll = async () => {
        for (const [what, ask] of ASKED)
          await eventually(what, async () =>
            isRight(await ask({ store, connections })()) ? true : undefined,
          )
      }
      await askAll()
      for (const lost of ['pg_walfile_name(pg_lsn)', 'pg_control_system()']) {
        await database.ask(`REVOKE EXECUTE ON FUNCTION ${lost} FROM PUBLIC`)
        await askAll()
      }
      await store.close()
      await server.ask(`ALTER DATABASE ${database.name} OWNER TO portcullis`)
      await remove()
    }),
  )
})

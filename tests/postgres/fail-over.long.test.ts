import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { fail, succeed } from '../support/outcome.ts'
import type { PostgresProxy } from '../support/postgres-proxy.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { startService } from '../support/running-service.ts'
import { aSession, aUser, changeOf, said } from './changes.ts'
import { PLACE } from './database.ts'
import { openDoor, WAYS } from './door.ts'

/** A primary and a standby without the last change: on the standby, the user is still enabled. */
type Pair = Readonly<{
  primary: PostgresServer
  standby: PostgresServer
  /** The address that the store knows. It leads to the primary until the test moves it. */
  door: PostgresProxy
  url: string
  remove: () => Promise<void>
}>

const user = aUser()
const session = aSession({ userId: user.id })

const startPair = async (isPooled: boolean): Promise<Pair> => {
  const primary = await startPostgresServer()
  const { url } = await primary.newDatabase()
  await openDatabase({ url, place: PLACE })
  const store = postgresStore(connectionsTo(url, 1))
  await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user })))
  await succeed(store.commit(changeOf({ _tag: 'UserSignedIn', session })))
  await store.close()
  const standby = await primary.standby()
  await standby.ask('SELECT pg_wal_replay_pause()')
  const again = postgresStore(connectionsTo(url, 1))
  await succeed(again.commit(changeOf({ _tag: 'UserDisabled', user })))
  await again.close()
  const { proxy: door, url: throughDoor, close } = await openDoor(primary, url, isPooled)
  return {
    primary,
    standby,
    door,
    url: throughDoor,
    remove: async () => {
      await close()
      await primary.remove()
    },
  }
}

type Opened = Readonly<{ store: Store; counts: FailureCounts }>

const ASKED: ReadonlyArray<readonly [string, (opened: Opened) => TaskEither<StoreUnavailable, unknown>]> = [
  ['a session', ({ store }) => store.findSession(session.id)],
  ['a missing session', ({ store }) => store.findSession('nobody')],
  ['a user', ({ store }) => store.findUserByEmail(user.email)],
  ['a missing application', ({ store }) => store.findApplication('nobody')],
  ['the holder of a token', ({ store }) => store.findTokenHolder('nobody', 'none')],
  [
    'the sessions of a user',
    ({ store }) =>
      store.listSessions({
        userId: user.id,
        passwordVersion: 1,
        sessionsVersion: 1,
        expiresAfterSeconds: 0,
        skip: 0,
        limit: 9,
      }),
  ],
  ['the signing keys', ({ store }) => store.listSigningKeys()],
  ['the rows of a table', ({ store }) => store.listRows({ table: 'users', after: '', limit: 9 })],
  ['the event log', ({ store }) => store.readEvents({ after: 0, limit: 9 })],
  [
    'failure counts',
    ({ counts }) => counts.update({ kind: 'account', key: 'key' }, () => ({ kept: none, answer: undefined })),
  ],
]

for (const [name, isPooled] of WAYS) {
  describe(`a store that reaches ${name} a PostgreSQL after a fail-over`, function () {
    this.timeout(60_000)
    let pair: Pair
    before(async () => {
      pair = await startPair(isPooled)
    })
    after(() => pair?.remove())

    const onStore = (test: (opened: Opened) => Promise<void>) => async (): Promise<void> => {
      const connections = connectionsTo(pair.url, 4, { patienceMs: 0 })
      const store = postgresStore(connections)
      try {
        await test({ store, counts: postgresFailureCounts(connections, Date.now) })
      } finally {
        await store.close()
      }
    }

    /** Moves a name or an address too early, and then back. */
    const leadToStandby = (): void => {
      pair.door.leadTo(pair.standby.port)
      pair.door.cut('ended')
    }
    const leadBack = (): void => pair.door.leadTo(pair.primary.port)

    for (const [what, ask] of ASKED)
      it(
        `does not read ${what} from a standby`,
        onStore(async (opened) => {
          leadToStandby()
          try {
            const { reason } = await fail(ask(opened))
            expect(reason).to.equal('the connection leads to a standby')
          } finally {
            leadBack()
            pair.door.cut('ended')
          }
          await eventually('the primary answers', async () => {
            const outcome = await ask(opened)()
            return isRight(outcome) ? true : undefined
          })
        }),
      )

    it(
      'leaves the standby as soon as the address leads to the primary again, also with open connections',
      onStore(async ({ store }) => {
        leadToStandby()
        await Promise.all(Array.from({ length: 16 }, () => store.findSession(session.id)()))
        await Promise.all(Array.from({ length: 4 }, () => store.commit(changeOf(said()))()))
        leadBack()
        const answers = await Promise.all(Array.from({ length: 16 }, () => store.findSession(session.id)()))
        for (const answer of answers)
          expect(answer).to.have.nested.property('right.value.user.status', 'disabled')
        for (let time = 0; time < 8; time += 1) await succeed(store.commit(changeOf(said())))
      }),
    )

    it(
      'knows that a write refused by a standby was not written',
      onStore(async ({ store }) => {
        leadToStandby()
        try {
          for (const change of [changeOf(said()), changeOf({ _tag: 'UserRegistered', user: aUser() })])
            expect(await fail(store.commit(change))).to.deep.equal({
              _tag: 'StoreUnavailable',
              reason: 'the connection leads to a standby',
            })
        } finally {
          leadBack()
        }
      }),
    )

    it('makes /readyz report whether it is writable', async () => {
      const service = await startService({ DATABASE_URL: pair.url })
      const readiness = async () => (await service.send({ method: 'GET', path: '/readyz' })).status
      const database = `DATABASE "${new URL(pair.url).pathname.slice(1)}"`
      try {
        expect(await readiness()).to.equal(200)
        leadToStandby()
        expect(await readiness()).to.equal(503)
        leadBack()
        expect(await readiness()).to.equal(200)
        await pair.primary.ask(`ALTER ${database} SET default_transaction_read_only = on`)
        pair.door.cut('ended')
        await eventually('503', async () => ((await readiness()) === 503 ? true : undefined))
        await pair.primary.ask(`ALTER ${database} RESET default_transaction_read_only`)
        await eventually('200', async () => ((await readiness()) === 200 ? true : undefined))
      } finally {
        leadBack()
        await service.stop()
      }
    })

    it(
      'continues without a restart when the standby is promoted',
      onStore(async ({ store }) => {
        await succeed(store.findSession(session.id))
        await pair.standby.ask('SELECT pg_wal_replay_resume()')
        await pair.primary.stop()
        leadToStandby()
        await fail(store.findSession(session.id))
        await pair.standby.ask('SELECT pg_promote()')
        await eventually('it writes', async () =>
          isRight(await store.commit(changeOf(said()))()) ? true : undefined,
        )
        expect(await store.findSession(session.id)()).to.have.nested.property(
          'right.value.user.status',
          'disabled',
        )
        await pair.primary.start()
      }),
    )
  })
}

import { expect } from 'chai'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { seedOfThisRun } from '../faults/seed.ts'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresClient } from '../support/postgres-client.ts'
import { startProcess } from './another-process.ts'
import { aSession, aUser, changeOf, said } from './changes.ts'
import type { Committed, Order, Report, Shared } from './worker.ts'

const WRITERS = 4
const READERS = 2
const LANES = 16
const STEPS = 16

/** Checked by all writers, despite races. */
const isOrdinary = ({ outcome }: Committed): boolean =>
  ['success', 'Conflict', 'EmailTaken'].includes(outcome)

if (postgres !== undefined) {
  const server = postgres

  describe(`the log that ${WRITERS} processes write while ${READERS} read it`, () => {
    const seed = seedOfThisRun()
    let database: Awaited<ReturnType<PostgresClient['newDatabase']>>
    let store: Store
    let among: Shared
    let outcomes: ReadonlyArray<Committed>
    let read: ReadonlyArray<Extract<Report, { what: 'followed' }>>
    let log: ReadonlyArray<LogEntry>

    before(async function () {
      this.timeout(60_000)
      database = await server.newDatabase()
      await openDatabase({ url: database.url, place: 'a database of the tests' })
      store = postgresStore(connectionsTo(database.url, 2))
      among = await shared(store)
      const begin = async (order: Order) => {
        const process = await startProcess()
        process.tell(order)
        return process
      }
      const url = database.url
      const readers = await Promise.all(
        Array.from({ length: READERS }, (_, index) => begin({ act: 'follow', url, seed: seed + index })),
      )
      await Promise.all(readers.map(({ report }) => report()))
      const writers = await Promise.all(
        Array.from({ length: WRITERS }, (_, index) =>
          begin({ act: 'write', url, lanes: LANES, steps: STEPS, seed: seed + READERS + index, among }),
        ),
      )
      outcomes = (await Promise.all(writers.map(({ report }) => report()))).flatMap((report) =>
        report.what === 'written' ? report.outcomes : [],
      )
      log = await succeed(store.readEvents({ after: 0, limit: 1_000_000 }))
      for (const { tell } of readers) tell({ act: 'stop', at: log.length })
      read = (await Promise.all(readers.map(({ report }) => report()))).flatMap((report) =>
        report.what === 'followed' ? [report] : [],
      )
      await Promise.all([...readers, ...writers].map(({ end }) => end()))
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    const because = `FAULT_SEED=${seed}`

    it('reports success or a lost race for each change', () => {
      expect(
        outcomes.filter((one) => !isOrdinary(one)),
        because,
      ).to.deep.equal([])
      for (const outcome of ['success', 'Conflict', 'EmailTaken'])
        expect(
          outcomes.filter((one) => one.outcome === outcome).length,
          `${outcome}, ${because}`,
        ).to.be.above(3)
    })

    it('contains the acknowledged changes and nothing else, at gap-free positions', () => {
      expect(
        log.map(({ position }) => position),
        because,
      ).to.deep.equal(log.map((_, index) => index + 1))
      const acknowledged = outcomes.filter(({ outcome }) => outcome === 'success')
      const wanted = new Set(acknowledged.flatMap(({ events }) => events))
      const held = log.slice(BEFORE).map(({ id }) => id)
      expect([...wanted].sort(), because).to.deep.equal([...held].sort())
    })

    it('keeps the events of one change together', () => {
      const positionOf = new Map(log.map(({ id, position }) => [id, position]))
      for (const { events, outcome } of outcomes) {
        const [first = 0, ...others] = events.map((id) => positionOf.get(id))
        if (outcome === 'success')
          expect(others, because).to.deep.equal(others.map((_, index) => first + 1 + index))
      }
    })

    it('accepts once a change that all processes commit', () => {
      for (const { events } of among.changes) {
        const ids = events.map(({ id }) => id)
        const told = outcomes.filter(({ events: [first] }) => first === ids[0])
        expect(
          told.map(({ outcome }) => outcome),
          because,
        ).to.deep.equal(Array(WRITERS).fill('success'))
      }
    })

    it('is read in order, and no position appears after a higher one', () => {
      expect(
        read.map(({ problems }) => problems),
        because,
      ).to.deep.equal(Array(READERS).fill([]))
      for (const { ids } of read) expect(ids, because).to.deep.equal(log.map(({ id }) => id))
    })

    it('agrees with the rows', async () => {
      const { disagreements, entries } = await succeed(
        checkLog({ store, clock: Date.now, digests: nodeDigests }),
      )
      expect(disagreements, because).to.deep.equal([])
      expect(entries).to.equal(log.length)
    })

    it('causes no deadlock', async () => {
      const name = new URL(database.url).pathname.slice(1)
      // A connection reports its statistics when it closes.
      await eventually('only this test is connected', async () => {
        const [row] = await server.ask(
          `SELECT count(*)::int AS many FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'portcullis'`,
        )
        return Number(row?.many) <= 2 ? true : undefined
      })
      const [row] = await server.ask(`SELECT deadlocks::int FROM pg_stat_database WHERE datname = '${name}'`)
      expect(row, because).to.deep.equal({ deadlocks: 0 })
    })
  })
}

const PEOPLE = 5
/** Entries that exist before the processes start. */
const BEFORE = 2 * PEOPLE

const shared = async (store: Store): Promise<Shared> => {
  const sessions = []
  for (let each = 0; each < PEOPLE; each += 1) {
    const user = aUser()
    const session = aSession({ userId: user.id })
    sessions.push(session.id)
    await succeed(store.commit(changeOf({ _tag: 'UserRegistered', user }, { _tag: 'UserSignedIn', session })))
  }
  return {
    sessions,
    emails: Array.from({ length: 16 }, (_, number) => `wanted-${number}@example.com`),
    changes: [
      ...Array.from({ length: 12 }, () => changeOf(said(), said())),
      ...Array.from({ length: 12 }, () => changeOf({ _tag: 'UserRegistered', user: aUser() })),
    ],
  }
}

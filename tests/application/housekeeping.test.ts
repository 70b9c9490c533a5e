import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { type DeletedTable, housekeeping } from '../../application/log/housekeeping.ts'
import {
  type Change,
  EXPIRING_TABLES,
  type ExpiredQuery,
  type ExpiringTable,
  type Row,
  type Store,
} from '../../application/ports/store.ts'
import { type SteadyClock, steadyClock } from '../../application/recording/steady-clock.ts'
import { onEveryStore } from '../support/every-store.ts'
import { succeed } from '../support/outcome.ts'
import { aOneTimeToken, aRevokedToken, aSession, aUser, change, issuedToken } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { drivenBackground } from './background.ts'
import { type SettableClock, settableClock } from './fakes.ts'

const START = '2026-01-02T03:04:05.000Z'

/** The second of the first walk. */
const NOW = Date.parse(START) / 1000 + 1

const A_DAY = 24 * 3600

/** The latest expiry of a row that the first walk deletes. */
const LAST_TO_GO: Readonly<Record<ExpiringTable, number>> = {
  sessions: NOW - A_DAY - 1,
  one_time_tokens: NOW - 11,
  revoked_tokens: NOW - A_DAY - 1,
}

const rowOf = (table: ExpiringTable, id: string, expiresAtSeconds: number): Row => {
  switch (table) {
    case 'sessions':
      return { table, row: aSession({ id, expiresAtSeconds }) }
    case 'one_time_tokens':
      return { table, row: aOneTimeToken({ id, digest: `digest of ${id}`, expiresAtSeconds }) }
    case 'revoked_tokens':
      return { table, row: aRevokedToken({ id, expiresAtSeconds }) }
  }
}

const writing = (rows: ReadonlyArray<Row>): Change => ({ ...change(issuedToken()), rows })

/** Ids that sort by their number. */
const idOf = (index: number): string => `id-${String(index).padStart(5, '0')}`

const many = (table: ExpiringTable, count: number, expiresAtSeconds = 1, from = 0): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, index) => rowOf(table, idOf(from + index), expiresAtSeconds))

const idsIn = async (store: Store, table: ExpiringTable): Promise<ReadonlyArray<string>> =>
  (await succeed(store.listRows({ table, after: '', limit: 10_000 }))).map(({ id }) => id)

type Transaction = ExpiredQuery & Readonly<{ at: number }>

/** Housekeeping with a clock and a background that the test drives. */
const running = (store: Store, steadyClockOf = follows) => {
  const clock = settableClock(START)
  const background = drivenBackground(clock)
  const transactions: Array<Transaction> = []
  const deleted: Array<readonly [DeletedTable, number]> = []
  const keeper = housekeeping({
    store: {
      eraseEndedLabels: (limit) => store.eraseEndedLabels(limit),
      deleteExpired: (query) => {
        transactions.push({ ...query, at: clock.read() - Date.parse(START) })
        return store.deleteExpired(query)
      },
    },
    background,
    now: steadyClockOf(clock),
    observer: {
      deleted: (table, rows) => void deleted.push([table, rows]),
      failed: () => {},
    },
  })
  return { ...keeper, background, transactions, deleted }
}

const follows =
  (clock: SettableClock): SteadyClock =>
  async () =>
    right(clock.read())

onEveryStore('housekeeping', (stores) => {
  for (const table of EXPIRING_TABLES) {
    it(`when rows of ${table} expired long enough ago, then it deletes them and nothing else`, async () => {
      const { store } = await stores.lasting()
      const last = LAST_TO_GO[table]
      const rows = { a: last + 1, b: last, c: NOW, d: 1, e: NOW + 3600 }
      await commitAll(
        store,
        writing([
          ...Object.entries(rows).map(([id, at]) => rowOf(table, id, at)),
          ...EXPIRING_TABLES.filter((other) => other !== table).map((other) => rowOf(other, 'z', NOW)),
          { table: 'users', row: aUser({ id: 'ada' }) },
        ]),
      )
      const log = await wholeLog(store)
      const { start, background, deleted } = running(store)
      start()
      await background.passSeconds(2)
      expect(await idsIn(store, table)).to.deep.equal(['a', 'c', 'e'])
      for (const other of EXPIRING_TABLES.filter((one) => one !== table))
        expect(await idsIn(store, other)).to.deep.equal(['z'])
      expect(await wholeLog(store)).to.deep.equal(log)
      expect(deleted).to.deep.equal([[table, 2]])
    })
  }

  it('when many rows have expired, then it deletes at most 100 a transaction, ten times a second', async () => {
    const { store } = await stores.lasting()
    await commitAll(store, writing(many('sessions', 550)), writing(many('one_time_tokens', 120)))
    const { start, background, transactions, deleted } = running(store)
    start()
    await background.passSeconds(1.55)
    expect(await idsIn(store, 'sessions')).to.have.lengthOf(50)
    await background.passSeconds(10)
    for (const table of EXPIRING_TABLES) expect(await idsIn(store, table)).to.deep.equal([])
    expect(new Set(transactions.map(({ limit }) => limit))).to.deep.equal(new Set([100]))
    for (const [index, { at }] of transactions.slice(1).entries())
      expect(at - (transactions[index]?.at ?? at)).to.be.at.least(100)
    expect(deleted.map(([, rows]) => rows)).to.deep.equal([100, 100, 100, 100, 100, 50, 100, 20])
  })

  for (const table of EXPIRING_TABLES) {
    it(`when rows of ${table} that live long are older than many expired ones, then it deletes all of the latter`, async () => {
      const { store } = await stores.lasting()
      await commitAll(store, writing([...many(table, 150, NOW + 365 * A_DAY), ...many(table, 1_050, 1, 150)]))
      const { start, background, transactions } = running(store)
      start()
      await background.passSeconds(5)
      expect(await idsIn(store, table)).to.deep.equal(many(table, 150).map(({ row }) => row.id))
      expect(transactions.filter((one) => one.table === table)).to.have.lengthOf(11)
    })
  }

  for (const table of EXPIRING_TABLES) {
    it(`when the clock is a year ahead at the start, then it deletes rows of ${table} that expired by the time of the log`, async () => {
      const { store } = await stores.lasting()
      const last = LAST_TO_GO[table]
      const rows = { a: last + 1, b: last, c: NOW + 1, d: NOW + 365 * A_DAY }
      const entry = {
        ...change(issuedToken()),
        rows: Object.entries(rows).map(([id, at]) => rowOf(table, id, at)),
      }
      await commitAll(store, { ...entry, events: [{ ...entry.events[0], at: START }] })
      let began: SteadyClock | undefined
      let slept = 0
      const { start, background } = running(store, (timer) => {
        began = steadyClock({
          store,
          clock: () => timer.read() + 365 * A_DAY * 1000,
          timer: { now: () => timer.read() + slept, until: () => async () => {} },
        })
        return began
      })
      await began?.()
      start()
      await background.passSeconds(2)
      expect(await idsIn(store, table)).to.deep.equal(['a', 'c', 'd'])
      slept = 364 * A_DAY * 1000
      await background.passSeconds(60)
      expect(await idsIn(store, table)).to.deep.equal(['d'])
    })
  }

  it('when a change has ended many labelled sessions, then it erases their labels, at most 100 a transaction', async () => {
    const { store } = await stores.lasting()
    const user = aUser()
    const ofUser = (sessionsVersion: number, label: string) =>
      ({
        table: 'sessions',
        row: aSession({ userId: user.id, sessionsVersion, label: some(label) }),
      }) as const
    const ended = Array.from({ length: 250 }, (_, index) => ofUser(1, `ended ${index}`))
    await commitAll(store, writing([{ table: 'users', row: user }, ...ended, ofUser(2, 'current')]))
    const changed = { ...user, sessionsVersion: 2, version: 2 }
    await commitAll(store, writing([{ table: 'users', row: changed }]))
    const labels = async () =>
      (await succeed(store.listRows({ table: 'sessions', after: '', limit: 1_000 }))).filter(({ label }) =>
        isSome(label),
      ).length
    const { start, background } = running(store)
    start()
    await background.passSeconds(1.05)
    expect(await labels()).to.equal(151)
    await background.passSeconds(1)
    expect(await labels()).to.equal(1)
  })

  it('when two instances do it at once, then every expired row is deleted and counted once', async () => {
    const { store } = await stores.lasting()
    await commitAll(store, writing(many('sessions', 250)), writing(many('sessions', 7, NOW, 900)))
    const instances = [running(store), running(store)]
    for (const { start } of instances) start()
    await Promise.all(instances.map(({ background }) => background.passSeconds(200)))
    expect(await idsIn(store, 'sessions')).to.have.lengthOf(7)
    const counted = instances.flatMap(({ deleted }) => deleted.map(([, rows]) => rows))
    expect(counted.reduce((sum, rows) => sum + rows, 0)).to.equal(250)
  })
})

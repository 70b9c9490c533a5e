import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { memoryProtocolState } from '../../adapters/stores/memory/protocol-state.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { housekeeping } from '../../application/log/housekeeping.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import { EXPIRING_TABLES, type ExpiringTable, type Store } from '../../application/ports/store.ts'
import { succeed } from '../support/outcome.ts'
import { aMail, held, listed, put } from '../testkit/outbox/steps.ts'
import { idOf, leftOf, putMany } from '../testkit/protocol-state/steps.ts'
import { drivenBackground } from './background.ts'
import { settableClock } from './fakes.ts'

const START = '2026-01-02T03:04:05.000Z'

const AWAY = left({ _tag: 'StoreUnavailable', reason: 'away' } as const)
const NOTHING = right(0)

/** Housekeeping of a store that answers as told, with a background that the test drives. */
const storeOf = (
  deleteExpired: Store['deleteExpired'],
  eraseEndedLabels: Store['eraseEndedLabels'] = () => async () => right(false),
) => {
  const clock = settableClock(START)
  const background = drivenBackground(clock)
  const transactions: Array<Readonly<{ table: ExpiringTable; at: number }>> = []
  const failures: Array<string> = []
  const { start } = housekeeping({
    store: {
      eraseEndedLabels,
      deleteExpired: (query) => {
        transactions.push({ table: query.table, at: clock.read() - Date.parse(START) })
        return deleteExpired(query)
      },
    },
    background,
    now: async () => right(clock.read()),
    observer: { deleted: () => {}, failed: ({ reason }) => void failures.push(reason) },
  })
  return { start, background, transactions, failures }
}

/** Adds a mail that has failed, and returns its id. */
const failed = async (outbox: Outbox, keptUntilSeconds: number): Promise<string> => {
  const { mail: _, ...one } = await held(outbox)
  await succeed(outbox.settle({ ...one, failed: { code: '550', keptUntilSeconds } }))
  return one.id
}

const idle = () => storeOf(() => async () => NOTHING)

describe('the walks of housekeeping', () => {
  it('when it is not started, then it does nothing', async () => {
    const { background, transactions } = idle()
    await background.passSeconds(1000)
    expect(transactions).to.deep.equal([])
  })

  it('when nothing has expired, then it looks at each table once a minute', async () => {
    const { start, background, transactions } = idle()
    start()
    start()
    await background.passSeconds(190)
    expect(transactions.map(({ table }) => table)).to.deep.equal([
      ...EXPIRING_TABLES,
      ...EXPIRING_TABLES,
      ...EXPIRING_TABLES,
      ...EXPIRING_TABLES,
    ])
    const walks = transactions.filter(({ table }) => table === EXPIRING_TABLES[0]).map(({ at }) => at)
    expect(walks).to.deep.equal([1_100, 61_400, 121_700, 182_000])
  })

  it('when there are failed mails, then it deletes those that expired, at most 100 a transaction', async () => {
    const clock = settableClock(START)
    const background = drivenBackground(clock)
    const { outbox } = memoryStorage()
    const now = Date.parse(START) / 1000
    for (let index = 0; index < 150; index += 1) await failed(outbox, now)
    const [kept, waiting] = [await failed(outbox, now + 3_600), aMail({ expiresAtSeconds: now - 1 })]
    await put(outbox, waiting)
    const [limits, deleted]: [Array<number>, Array<readonly [string, number]>] = [[], []]
    housekeeping({
      store: { eraseEndedLabels: () => async () => right(false), deleteExpired: () => async () => NOTHING },
      outbox: {
        deleteFailed: (query) => {
          limits.push(query.limit)
          return outbox.deleteFailed(query)
        },
      },
      background,
      now: async () => right(clock.read()),
      observer: { deleted: (table, rows) => void deleted.push([table, rows]), failed: () => {} },
    }).start()
    await background.passSeconds(5)
    expect(deleted).to.deep.equal([
      ['mails', 100],
      ['mails', 50],
    ])
    expect(limits).to.deep.equal([100, 100])
    expect((await listed(outbox)).map(({ id }) => id)).to.have.members([kept, waiting.id])
  })

  it('when there is protocol state, then it deletes what expired, at most 100 a transaction', async () => {
    const clock = settableClock(START)
    const background = drivenBackground(clock)
    const protocolState = memoryProtocolState()
    const now = Date.parse(START) / 1000
    const expired = await putMany(protocolState, 150, () => ({ expiresAtSeconds: now }))
    await succeed(protocolState.consume('refresh_token', idOf(7), now))
    const kept = await putMany(protocolState, 1, () => ({ kind: 'grant', expiresAtSeconds: now + 3_600 }))
    const [limits, deleted]: [Array<number>, Array<readonly [string, number]>] = [[], []]
    housekeeping({
      store: { eraseEndedLabels: () => async () => right(false), deleteExpired: () => async () => NOTHING },
      protocolState: {
        deleteExpired: (nowSeconds, atMost) => {
          limits.push(atMost)
          return protocolState.deleteExpired(nowSeconds, atMost)
        },
      },
      background,
      now: async () => right(clock.read()),
      observer: { deleted: (table, rows) => void deleted.push([table, rows]), failed: () => {} },
    }).start()
    await background.passSeconds(5)
    expect(deleted).to.deep.equal([
      ['protocol_state', 100],
      ['protocol_state', 50],
    ])
    expect(limits).to.deep.equal([100, 100])
    expect(await leftOf(protocolState, [...expired, ...kept])).to.deep.equal(kept)
  })

  it('when the store fails, then it reports that and walks again a minute later', async () => {
    let isAway = true
    const { start, background, transactions, failures } = storeOf(() => async () => {
      const outcome = isAway ? AWAY : NOTHING
      isAway = false
      return outcome
    })
    start()
    await background.passSeconds(5)
    expect(failures).to.deep.equal(['away'])
    expect(transactions).to.have.lengthOf(1)
    await background.passSeconds(60)
    expect(failures).to.deep.equal(['away'])
    expect(transactions.map(({ table }) => table)).to.deep.equal(['sessions', ...EXPIRING_TABLES])
  })

  it('when labels cannot be erased, then it reports that and still deletes from each table', async () => {
    const { start, background, transactions, failures } = storeOf(
      () => async () => NOTHING,
      () => async () => AWAY,
    )
    start()
    await background.passSeconds(5)
    expect(failures).to.deep.equal(['away'])
    expect(transactions.map(({ table }) => table)).to.deep.equal(EXPIRING_TABLES)
  })

  it('when too much runs in the background, then it walks a minute later', async () => {
    const { start, background, transactions } = idle()
    background.full = true
    start()
    await background.passSeconds(2)
    expect(transactions).to.deep.equal([])
    background.full = false
    await background.passSeconds(60)
    expect(transactions.map(({ table }) => table)).to.deep.equal(EXPIRING_TABLES)
  })

  it('when the service stops within a walk, then no further transaction follows', async () => {
    const { start, background, transactions } = storeOf(() => async () => right(100))
    start()
    await background.passSeconds(3.15)
    const { length } = transactions
    expect(length).to.equal(21)
    await background.close()
    await background.settle()
    await background.passSeconds(1000)
    expect(transactions).to.have.lengthOf(length)
  })
})

import { expect } from 'chai'
import { PortcullisUnavailable } from '../../adapters/client/client.ts'
import { CALLS } from './calls.ts'
import {
  applicationToken,
  type FaultyServer,
  held,
  heldBody,
  json,
  startFaultyServer,
  unavailable,
} from './faulty-server.ts'
import { type OwnTime, ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

const LIMIT_MS = 10_000

describe('the pause before a repetition', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  /** Each row has the Retry-After of each answer, and the pauses that the client makes in its time limit. */
  const ROWS: ReadonlyArray<
    readonly [retryAfter: ReadonlyArray<string | undefined>, timeout: number, pauses: ReadonlyArray<number>]
  > = [
    [[undefined, undefined, undefined, undefined], LIMIT_MS, [250, 500, 1000]],
    [['0', '0', '0', '0'], LIMIT_MS, [0, 0, 0]],
    [['1', '2', '3', '4'], LIMIT_MS, [1000, 2000, 3000]],
    [[undefined, '3', undefined, '1'], LIMIT_MS, [250, 3000, 1000]],
    [['4', '4', '4', '4'], LIMIT_MS, [4000, 4000]],
    [['10'], LIMIT_MS, []],
    [['900'], LIMIT_MS, []],
    [['99999999999999999999'], LIMIT_MS, [250]],
    [['9999999', '0'], LIMIT_MS, [250, 0]],
    [['Fri, 20 Nov 2026 12:00:10 GMT', '0'], LIMIT_MS, [250, 0]],
    [['-1', '1.5', 'soon'], LIMIT_MS, [250, 500, 1000]],
    [[undefined, undefined], 700, [250]],
    [[undefined], 250, []],
    [['5', '5', '4'], 15_000, [5000, 5000, 4000]],
  ]
  for (const [retryAfter, timeout, pauses] of ROWS)
    it(`is ${pauses.join(', ') || 'none'} ms after ${retryAfter.map((one) => one ?? 'none').join('; ')} in ${timeout} ms`, async () => {
      server.plays(...retryAfter.map((one) => unavailable('none', one)))
      const { auth, time } = timedClient(
        server,
        { timeout },
        ownTime((ms) => ms !== timeout),
      )
      const got = await auth.getPasswordPolicy().catch((error: unknown) => error)
      expect(got).to.include({
        name: retryAfter.length > pauses.length ? 'PortcullisUnavailable' : 'RequestRefused',
      })
      expect(time.skipped).to.deep.equal(pauses)
      expect(server.seen).to.have.lengthOf(pauses.length + 1)
      expect(time.running(), 'timers that still run').to.deep.equal([])
    })

  it('ends with the last answer as the error, if the time limit comes first', async () => {
    server.plays(unavailable('none', '4'))
    const time = ownTime(() => false)
    const thrown = thrownBy(timedClient(server, {}, time).auth.getPasswordPolicy())
    await time.waits(4000)
    time.ring(LIMIT_MS)
    expect(await thrown)
      .to.be.instanceOf(PortcullisUnavailable)
      .and.include({ status: 503 })
  })
})

describe('the time limit of a call', () => {
  let server: FaultyServer
  let time: OwnTime
  beforeEach(async () => {
    server = await startFaultyServer()
    time = ownTime(() => false)
  })
  afterEach(() => server.stop())

  const OUTCOME = { read: 'none', repeatable: 'unknown', change: 'unknown', once: 'unknown' } as const

  for (const { id, kind, send } of CALLS) {
    it(`ends ${id} while it waits for the answer, and its connection`, async () => {
      const late = held(json(200, {}))
      server.plays(late.play)
      const thrown = thrownBy(send(timedClient(server, {}, time).auth))
      await late.reached
      time.pass(LIMIT_MS)
      const error = await thrown
      expect(error)
        .to.be.instanceOf(PortcullisUnavailable)
        .and.include({ outcome: OUTCOME[kind], status: undefined })
      await late.gone()
      expect([server.seen.length, time.running()]).to.deep.equal([1, []])
    })

    it(`ends ${id} while the answer arrives, and its connection`, async () => {
      const late = heldBody()
      server.plays(late.play)
      const thrown = thrownBy(send(timedClient(server, {}, time).auth))
      await late.reached
      time.pass(LIMIT_MS)
      expect(await thrown)
        .to.be.instanceOf(PortcullisUnavailable)
        .and.include({ outcome: OUTCOME[kind] })
      await late.gone()
      expect(server.seen).to.have.lengthOf(1)
    })
  }

  it('ends a call while it waits for an application token, and nothing was changed', async () => {
    const late = held(json(200, {}))
    server.playsTokens(late.play)
    const { auth } = timedClient(server, {}, time)
    const thrown = thrownBy(auth.registerUser({ email: 'ada@example.com', password: 'p' }))
    await late.reached
    time.pass(LIMIT_MS)
    expect(await thrown)
      .to.be.instanceOf(PortcullisUnavailable)
      .and.include({ outcome: 'none' })
    await late.gone()
    expect(server.seen).to.deep.equal([])
  })

  it('includes the request for the application token', async () => {
    const slow = held(json(200, { token: applicationToken(1) }))
    const late = held(json(200, {}))
    server.playsTokens(slow.play)
    server.plays(late.play)
    const thrown = thrownBy(timedClient(server, {}, time).auth.searchUsers({}))
    await slow.reached
    time.pass(9_000)
    slow.open()
    await late.reached
    time.pass(1_000)
    expect(await thrown)
      .to.be.instanceOf(PortcullisUnavailable)
      .and.include({ status: undefined })
    await late.gone()
  })

  it('includes all repetitions', async () => {
    const [first, second] = [held(unavailable('none', '0')), held(json(200, {}))]
    server.plays(first.play, second.play)
    const skipping = ownTime()
    const thrown = thrownBy(timedClient(server, {}, skipping).auth.getPasswordPolicy())
    await first.reached
    skipping.pass(9_000)
    first.open()
    await second.reached
    skipping.pass(1_000)
    expect(await thrown)
      .to.be.instanceOf(PortcullisUnavailable)
      .and.include({ status: undefined })
    await second.gone()
  })

  it('is a setting', async () => {
    const late = held(json(200, {}))
    server.plays(late.play)
    const thrown = thrownBy(timedClient(server, { timeout: 77 }, time).auth.getPasswordPolicy())
    await late.reached
    expect(time.running()).to.deep.equal([77])
    time.pass(77)
    expect(await thrown).to.be.instanceOf(PortcullisUnavailable)
  })

  it('leaves no timer behind after an answer', async () => {
    server.plays(json(200, {}))
    await timedClient(server, {}, time).auth.searchUsers({})
    expect(time.running()).to.deep.equal([])
  })
})

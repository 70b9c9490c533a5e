import { expect } from 'chai'
import type { EventsFilter, FeedEvent, PortcullisUnavailable } from '../../adapters/client/client.ts'
import { turns } from '../support/turns.ts'
import {
  dropAnswering,
  dropRead,
  dropUnread,
  envelope,
  type FaultyServer,
  held,
  html,
  invalidToken,
  type Play,
  startFaultyServer,
  unavailable,
} from './faulty-server.ts'
import { batch, EPOCH, event, page } from './feed-pages.ts'
import { isPauseOfEvents, type OwnTime, ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

const REFUSED_CURSOR = envelope(410)

describe('events of a client', () => {
  let server: FaultyServer
  let time: OwnTime
  let outages: Array<PortcullisUnavailable>
  beforeEach(async () => {
    server = await startFaultyServer()
    time = ownTime(isPauseOfEvents)
    outages = []
  })
  afterEach(() => server.stop())

  const follow = (filter: EventsFilter = {}) =>
    timedClient(server, {}, time).auth.events({ onUnavailable: (error) => outages.push(error), ...filter })

  /** The positions of so many events. Then the loop ends. */
  const read = async (count: number, filter: EventsFilter = {}): Promise<ReadonlyArray<number>> => {
    const positions: Array<number> = []
    for await (const { data } of follow(filter)) if (positions.push(data.position) === count) break
    return positions
  }
  /** The query of each request. */
  const queries = () =>
    server.seen.map(({ path }) => Object.fromEntries(new URL(path, server.url).searchParams))
  const cursors = () => queries().map(({ after }) => after)
  const requestsStop = async (): Promise<void> => {
    const { length } = server.seen
    time.pass(3_600_000)
    await turns(20)
    expect(server.seen).to.have.lengthOf(length)
    expect(time.running(), 'timers that still run').to.deep.equal([])
  }

  it('follow the cursor of each page, and contain the cursor behind them', async () => {
    server.plays(page([event(1), event(2)], 2), page([event(5)], 9), page([event(10)], 10))
    const seen: Array<FeedEvent> = []
    for await (const one of follow()) if (seen.push(one) === 4) break
    expect(seen.map(({ cursor }) => cursor)).to.deep.equal([1, 2, 5, 10].map((at) => `${EPOCH}:${at}`))
    expect(seen[2]).to.deep.equal({ ...event(5), cursor: `${EPOCH}:5` })
    expect(cursors()).to.deep.equal([undefined, `${EPOCH}:2`, `${EPOCH}:9`])
    for (const { limit, wait } of queries()) expect([limit, wait]).to.deep.equal(['500', '30'])
  })

  it('begin behind the given cursor', async () => {
    server.plays(page([event(8)], 8), page([event(9)], 9))
    expect(await read(2, { after: `${EPOCH}:7` })).to.deep.equal([8, 9])
    expect(cursors()).to.deep.equal([`${EPOCH}:7`, `${EPOCH}:8`])
  })

  it('begin with the first event if the cursor of a store is null', async () => {
    server.plays(page([event(1)], 1))
    await read(1, { after: null as unknown as undefined })
    expect(cursors()).to.deep.equal([undefined])
  })

  it('of one type are filtered by the service', async () => {
    server.plays(page([event(8)], 8))
    await read(1, { types: ['UserSignedIn'] })
    expect(queries()[0]).to.include({ type: 'UserSignedIn' })
  })

  it('of several types are filtered by the client', async () => {
    const mixed = [event(1), event(2, 'UserRemoved'), event(3, 'UserSignedOut'), event(4)]
    server.plays(page(mixed, 4), page([event(5, 'UserRemoved'), event(6, 'UserSignedOut')], 6))
    expect(await read(4, { types: ['UserSignedIn', 'UserSignedOut'] })).to.deep.equal([1, 3, 4, 6])
    expect(queries()[0]).not.to.have.property('type')
  })

  it('tell the cursor behind each page, when its events are handled', async () => {
    server.plays(page([event(1), event(2)], 2), page([event(3, 'UserRemoved')], 3), page([event(4)], 4))
    const told: Array<string | number> = []
    const types = ['UserSignedIn', 'UserSignedOut'] as const
    for await (const { data } of follow({ types, onCursor: (cursor) => told.push(cursor) })) {
      told.push(data.position)
      if (data.position === 4) break
    }
    expect(told).to.deep.equal([1, 2, `${EPOCH}:2`, `${EPOCH}:3`, 4])
  })

  it('wait a second after an empty page at the end of the log that came at once', async () => {
    server.plays(page([], 10_000), page([], 20_000), page([], 20_000), page([event(20_001)], 20_001))
    await read(1)
    expect(time.skipped).to.deep.equal([1000])
    expect(cursors()).to.deep.equal([undefined, `${EPOCH}:10000`, `${EPOCH}:20000`, `${EPOCH}:20000`])
  })

  it('ask again at once after an empty page that came later', async () => {
    const late = held(page([], 0))
    server.plays(late.play, page([event(1)], 1))
    const first = read(1)
    await late.reached
    time.pass(1000)
    late.open()
    await first
    expect(time.skipped).to.deep.equal([])
  })

  const four = (play: Play): ReadonlyArray<Play> => [play, play, play, play]
  const OUTAGES: ReadonlyArray<readonly [name: string, plays: ReadonlyArray<Play>, status?: number]> = [
    ['503 with the outcome none', four(unavailable('none', '0')), 503],
    ['503 with the outcome unknown', four(unavailable('unknown', '0')), 503],
    ['500', [envelope(500)], 500],
    ['502 of a proxy', four(html(502)), 502],
    ['200 in HTML', [html(200)], 200],
    ['a page without its Link', [batch([event(3), event(4)], {})], 200],
    ['a page with a Link without cursor', [batch([event(3)], { Link: '</>; rel="next"' })], 200],
    ['connections that end before the body is read', four(dropUnread)],
    ['connections that end before the answer', four(dropRead)],
    ['connections that end within the answer', four(dropAnswering)],
  ]
  for (const [name, plays, status] of OUTAGES)
    it(`go on without loss and repetition after ${name}, and tell of it`, async () => {
      server.plays(page([event(1), event(2)], 2), ...plays, page([event(3), event(4)], 4))
      expect(await read(4)).to.deep.equal([1, 2, 3, 4])
      expect(outages.map(({ name, outcome, status }) => [name, outcome, status])).to.deep.equal([
        ['PortcullisUnavailable', 'none', status],
      ])
      expect(cursors().slice(1)).to.deep.equal([...plays, 0].map(() => `${EPOCH}:2`))
    })

  it('go on without loss and repetition after a restart on the same port', async () => {
    server.plays(page([event(1), event(2)], 2))
    const positions: Array<number> = []
    const onUnavailable = (error: PortcullisUnavailable) => {
      if (outages.push(error) !== 2) return
      server.plays(page([event(3)], 3))
      server.start()
    }
    for await (const { data } of follow({ onUnavailable })) {
      if (data.position === 2) await server.stop()
      if (positions.push(data.position) === 3) break
    }
    expect(positions).to.deep.equal([1, 2, 3])
    expect(outages.map(({ status }) => status)).to.deep.equal([undefined, undefined])
  })

  it('go on after an outage of the route of application tokens', async () => {
    server.playsTokens(...four(dropRead))
    server.plays(page([event(1)], 1))
    expect(await read(1)).to.deep.equal([1])
    expect(outages).to.have.lengthOf(1)
  })

  it('go on with a new application token', async () => {
    server.plays(page([event(1)], 1), invalidToken(), page([event(2)], 2))
    expect(await read(2)).to.deep.equal([1, 2])
    expect([outages.length, server.tokenRequests.length]).to.deep.equal([0, 2])
  })

  it('pause 1 to 30 s during an outage, and from 1 s again after it', async () => {
    const outage = envelope(500)
    server.plays(...four(outage), ...four(outage), page([event(1)], 1), outage, page([event(2)], 2))
    expect(await read(2)).to.deep.equal([1, 2])
    expect(time.skipped).to.deep.equal([1, 2, 4, 8, 16, 30, 30, 30, 1].map((seconds) => seconds * 1000))
    expect(outages).to.have.lengthOf(9)
  })

  it('pause as long as Retry-After says, if that is longer', async () => {
    server.plays(unavailable('none', '600'), page([event(1)], 1))
    await read(1)
    expect(time.skipped).to.deep.equal([600_000])
  })

  it('wait after 429, and tell of no outage', async () => {
    server.plays(envelope(429, {}, { 'Retry-After': '900' }), page([event(1)], 1))
    expect(await read(1)).to.deep.equal([1])
    expect([time.skipped, outages]).to.deep.equal([[900_000], []])
  })

  for (const [first, events] of [
    [41, [event(41, 'UserSignedIn', 'beefcafe')]],
    [undefined, []],
  ] as const)
    it(`throw CursorEnded after 410, with the first event ${first}`, async () => {
      server.plays(page([event(1)], 1), REFUSED_CURSOR, page(events, first ?? 0, 'beefcafe'))
      const error = await thrownBy(read(2))
      expect(error).to.be.instanceOf(Error).and.include({ name: 'CursorEnded', epoch: 'beefcafe', first })
      expect(queries().map(({ after, limit }) => [after, limit])).to.deep.equal([
        [undefined, '500'],
        [`${EPOCH}:1`, '500'],
        [undefined, '1'],
      ])
      await requestsStop()
    })

  it('throw CursorEnded after 410, also with an outage before its details are there', async () => {
    server.plays(REFUSED_CURSOR, ...four(dropRead), REFUSED_CURSOR, page([event(3)], 3))
    expect(await thrownBy(read(1, { after: 'beefcafe:7' }))).to.include({ epoch: EPOCH, first: 3 })
    expect(outages).to.have.lengthOf(1)
  })

  for (const [name, play, status] of [
    ['403', envelope(403, {}, { 'WWW-Authenticate': 'Bearer realm="p", error="insufficient_scope"' }), 403],
    ['422', envelope(422, { errors: [{ code: 1, param: 'after', message: 'Malformed.' }] }), 422],
    ['400', envelope(400), 400],
    ['404', envelope(404), 404],
  ] as const)
    it(`throw RequestRefused after ${name}, and end`, async () => {
      server.plays(page([event(1)], 1), play)
      expect(await thrownBy(read(2))).to.include({ name: 'RequestRefused', status })
      await requestsStop()
    })

  it('throw WrongApiKeys, and end', async () => {
    server.playsTokens(envelope(401, {}, { 'WWW-Authenticate': 'Bearer realm="p"' }))
    expect(await thrownBy(read(1))).to.include({ name: 'WrongApiKeys' })
    await requestsStop()
  })

  it('end with break, and with an error of the loop', async () => {
    server.plays(page([event(1), event(2)], 2), page([event(1), event(2)], 2))
    await read(1)
    await requestsStop()
    const mine = new Error('mine')
    const thrown = thrownBy(
      (async () => {
        for await (const { data } of follow()) if (data.position === 1) throw mine
      })(),
    )
    expect(await thrown).to.equal(mine)
    await requestsStop()
    expect(server.seen).to.have.lengthOf(2)
  })

  it('have at least 45 s for a request with any time limit', async () => {
    for (const [timeout, expected] of [
      [10_000, 45_000],
      [5_000, 45_000],
      [60_000, 90_000],
    ] as const) {
      const late = held(page([event(1)], 1))
      server.plays(late.play)
      const next = timedClient(server, { timeout }, time).auth.events().next()
      await late.reached
      expect(time.running()).to.deep.equal([expected])
      late.open()
      await next
    }
  })
})

import { expect } from 'chai'
import type { PastEventsFilter } from '../../adapters/client/client.ts'
import { dropRead, envelope, type FaultyServer, startFaultyServer, unavailable } from './faulty-server.ts'
import { EPOCH, event, page } from './feed-pages.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

/** A page of 500 events behind this position. */
const full = (after: number, type?: string) =>
  page(
    Array.from({ length: 500 }, (_, index) => event(after + index + 1, type)),
    after + 500,
  )

describe('eventsUntilNow of a client', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  const read = async (filter?: PastEventsFilter, signal?: AbortSignal): Promise<ReadonlyArray<number>> => {
    const positions: Array<number> = []
    for await (const { data } of timedClient(server).auth.eventsUntilNow(filter, { signal }))
      positions.push(data.position)
    return positions
  }
  const queries = () =>
    server.seen.map(({ path }) => Object.fromEntries(new URL(path, server.url).searchParams))

  it('ends with the first page that is not full, although the log grows', async () => {
    server.plays(full(0), full(500), page([event(1001)], 1001), page([event(1002)], 1002))
    const positions = await read()
    expect([positions.length, positions.at(-1)]).to.deep.equal([1001, 1001])
    expect(queries()).to.deep.equal([
      { limit: '500' },
      { after: `${EPOCH}:500`, limit: '500' },
      { after: `${EPOCH}:1000`, limit: '500' },
    ])
  })

  it('reads on after a full page without an event of its types', async () => {
    server.plays(full(0, 'UserRegistered'), page([event(501), event(502, 'UserRemoved')], 502))
    expect(await read({ types: ['UserRemoved'] })).to.deep.equal([502])
    for (const query of queries()) expect(query).not.to.have.property('type')
  })

  it('ends at once if nothing has happened, and tells the cursor of each page', async () => {
    const cursors: Array<string> = []
    const onCursor = (cursor: string) => cursors.push(cursor)
    server.plays(full(0), page([], 500))
    await read({ onCursor })
    server.plays(page([], 500))
    expect(await read({ after: cursors.at(-1), onCursor })).to.deep.equal([])
    expect(cursors).to.deep.equal(Array.from({ length: 3 }, () => `${EPOCH}:500`))
  })

  it('goes on after a short outage, and throws PortcullisUnavailable in a long one', async () => {
    server.plays(unavailable('none', '0'), page([event(1)], 1))
    expect(await read()).to.deep.equal([1])
    server.plays(full(0), dropRead, dropRead, dropRead, dropRead)
    const cursors: Array<string> = []
    const error = await thrownBy(read({ onCursor: (cursor) => cursors.push(cursor) }))
    expect(error).to.include({ name: 'PortcullisUnavailable', outcome: 'none' })
    expect(cursors).to.deep.equal([`${EPOCH}:500`])
  })

  it('throws CursorEnded, and PortcullisUnavailable if it is throttled', async () => {
    server.plays(envelope(410), page([event(3)], 3))
    expect(await thrownBy(read({ after: 'beefcafe:7' }))).to.include({ name: 'CursorEnded', first: 3 })
    server.plays(envelope(429, {}, { 'Retry-After': '9' }))
    expect(await thrownBy(read())).to.include({
      name: 'PortcullisUnavailable',
      status: 429,
      retryAfter: 9,
    })
  })

  it('ends with its signal between two events', async () => {
    server.plays(page([event(1), event(2)], 2))
    const controller = new AbortController()
    const events = timedClient(server).auth.eventsUntilNow({}, { signal: controller.signal })
    await events.next()
    controller.abort('enough')
    expect(await thrownBy(events.next())).to.equal('enough')
  })
})

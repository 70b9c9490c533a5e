import { expect } from 'chai'
import { type EventsFilter, PortcullisUnavailable } from '../../adapters/client/client.ts'
import { type FaultyServer, json, type Play, startFaultyServer } from './faulty-server.ts'
import { ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

const event = (position: number, type = 'UserSignedIn') => ({
  source: 'https://auth.example.com/api/v1/log/3fa81c02',
  data: { position, type },
})

const next = (position: number): string =>
  `</api/v1/events?limit=500&after=3fa81c02%3A${position}&wait=30>; rel="next"`

/** A page of the feed, and the links behind it. */
const page = (positions: ReadonlyArray<number>, ...links: ReadonlyArray<string>): Play =>
  json(
    200,
    positions.map((position) => event(position)),
    links.length === 0 ? {} : { Link: links.join(', ') },
  )

describe('a page of the feed', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  it('has the cursor of the next page, also beside links that a proxy added', async () => {
    server.plays(page([1], '</style.css?version=3>; rel="preload"', next(1), '</help?page=2>; rel="help"'))
    expect(await timedClient(server).auth.readFeed()).to.include({ ok: true, next: '3fa81c02:1' })
  })

  for (const [name, links] of [
    ['without a link', []],
    ['with another link', ['</style.css?version=3>; rel="preload"']],
    ['with an empty cursor', ['</api/v1/events?after=&limit=500>; rel="next"']],
  ] as const)
    it(`${name} is no answer of the service, because the next page would be the first one again`, async () => {
      server.plays(page([1], ...links))
      const error = await thrownBy(timedClient(server).auth.readFeed())
      expect(error).to.be.instanceOf(PortcullisUnavailable).and.include({ outcome: 'none', status: 200 })
    })
})

describe('the client follows the feed, and', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  /** The cursors of the first events, and the pauses before them. */
  const follow = async (count: number, filter: EventsFilter = {}, signal?: AbortSignal) => {
    const cursors: Array<string> = []
    const time = ownTime((ms) => ms === 1000)
    const { auth } = timedClient(server, {}, time)
    for await (const { cursor } of auth.events(filter, { signal })) if (cursors.push(cursor) === count) break
    return { cursors, pauses: time.skipped, running: time.running() }
  }

  it('reads on when the cursor is stored', async () => {
    const done: Array<string> = []
    const onCursor = async (cursor: string) => {
      done.push(`storing ${cursor} after ${server.seen.length}`)
      await new Promise(setImmediate)
      done.push(`stored ${cursor} after ${server.seen.length}`)
    }
    server.plays(page([1], next(1)), page([2], next(2)))
    await follow(2, { onCursor })
    expect(done).to.deep.equal(['storing 3fa81c02:1 after 1', 'stored 3fa81c02:1 after 1'])
  })

  it('ends if the cursor cannot be stored, also for want of Portcullis', async () => {
    const failure = new PortcullisUnavailable('The program has called it, too.', 'none')
    server.plays(page([1], next(1)), page([2], next(2)))
    expect(await thrownBy(follow(2, { onCursor: () => Promise.reject(failure) }))).to.equal(failure)
  })
})

import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { EventQuery, LogEntry, Store, StoreUnavailable } from '../../application/ports/store.ts'
import { eventPages, pages } from '../../application/recording/pages.ts'

const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'no answer' }

/** Reads the numbers from 1 to `total`, and records its calls. */
const reader = (total: number, failsAfter = Number.POSITIVE_INFINITY) => {
  const asked: Array<number> = []
  const read = (after: number, limit: number) => async (): Promise<Either<StoreUnavailable, number[]>> => {
    asked.push(after)
    if (after >= failsAfter) return left(AWAY)
    return right(Array.from({ length: Math.min(limit, total - after) }, (_, index) => after + index + 1))
  }
  return { asked, read }
}

const all = async (read: ReturnType<typeof reader>['read']) => {
  const found = []
  for await (const page of pages(read, 0, (number) => number)) found.push(page)
  return found
}

describe('pages', () => {
  const CASES: ReadonlyArray<readonly [total: number, sizes: number[], asked: number[]]> = [
    [0, [0], [0]],
    [1, [1], [0]],
    [999, [999], [0]],
    [1000, [1000, 0], [0, 1000]],
    [1001, [1000, 1], [0, 1000]],
    [2500, [1000, 1000, 500], [0, 1000, 2000]],
  ]
  for (const [total, sizes, asked] of CASES) {
    it(`of ${total} are ${sizes.join(' and ')}, each read once`, async () => {
      const store = reader(total)
      const found = await all(store.read)
      expect(found.map((page) => page._tag === 'Right' && page.right.length)).to.deep.equal(sizes)
      expect(found.flatMap((page) => (page._tag === 'Right' ? page.right : []))).to.deep.equal(
        Array.from({ length: total }, (_, index) => index + 1),
      )
      expect(store.asked).to.deep.equal(asked)
    })
  }

  it('end with a failure', async () => {
    const store = reader(5000, 2000)
    const found = await all(store.read)
    expect(found).to.have.lengthOf(3)
    expect(found[2]).to.deep.equal(left(AWAY))
    expect(store.asked).to.deep.equal([0, 1000, 2000])
  })
})

describe('pages of the event log', () => {
  const TYPES = ['UserSignedIn', 'UserSignedOut'] as const

  /** A log that grows by `grows` after each read. Every thousandth entry is a sign-out. */
  const growing = (length: number, grows = 0) => {
    const asked: Array<EventQuery> = []
    let head = length
    const store: Pick<Store, 'readEvents'> = {
      readEvents: (query) => async () => {
        asked.push(query)
        const { after, through = head, limit, type } = query
        const found: Array<LogEntry> = []
        for (
          let position = after + 1;
          position <= Math.min(through, head) && found.length < limit;
          position += 1
        ) {
          const entry = { position, type: TYPES[position % 1_000 === 0 ? 1 : 0] } as LogEntry
          if (type === undefined || entry.type === type) found.push(entry)
        }
        head = Math.min(head + grows, 3 * length)
        return right(found)
      },
    }
    return { store, asked }
  }

  const positions = async (store: Pick<Store, 'readEvents'>, query: Parameters<typeof eventPages>[1]) => {
    const found: Array<number> = []
    for await (const page of eventPages(store, query))
      found.push(...(page._tag === 'Right' ? page.right.map(({ position }) => position) : []))
    return found
  }

  const upTo = (length: number, step = 1) =>
    Array.from({ length: Math.floor(length / step) }, (_, index) => (index + 1) * step)

  for (const length of [0, 1, 999, 1_000, 9_999, 10_000, 10_001, 25_000]) {
    it(`of ${length} entries have each entry once`, async () => {
      expect(await positions(growing(length).store, { after: 0 })).to.deep.equal(upTo(length))
      expect(await positions(growing(length).store, { after: 0, type: 'UserSignedOut' })).to.deep.equal(
        upTo(length, 1_000),
      )
    })
  }

  for (const grows of [300, 1_000, 2_000, 3_000, 7_000])
    it(`skip nothing that is appended meanwhile, ${grows} between two reads`, async () => {
      const all = await positions(growing(15_000, grows).store, { after: 0 })
      expect(all).to.deep.equal(upTo(all.length))
      const rare = await positions(growing(15_000, grows).store, { after: 0, type: 'UserSignedOut' })
      expect(rare).to.deep.equal(upTo(rare.length * 1_000, 1_000))
    })

  it('ask for a type within bounded ranges only, however many entries have it', async () => {
    const { store, asked } = growing(100_500)
    expect(await positions(store, { after: 99_999, type: 'UserSignedOut' })).to.deep.equal([100_000])
    expect(await positions(store, { after: 0, type: 'KeyLost' as LogEntry['type'] })).to.deep.equal([])
    const ranges = asked.flatMap(({ after, through = Number.NaN, type }) =>
      type === undefined ? [] : [through - after],
    )
    expect(ranges).to.have.length(12)
    expect(new Set(ranges)).to.deep.equal(new Set([10_000]))
  })

  it('start at any position, also behind the end', async () => {
    expect(await positions(growing(20_010).store, { after: 20_000 })).to.deep.equal(
      upTo(20_010).slice(20_000),
    )
    for (const after of [20_010, 30_000, Number.MAX_SAFE_INTEGER])
      expect(await positions(growing(20_010).store, { after })).to.deep.equal([])
  })

  it('end with a failure at any place', async () => {
    for (let goesWell = 0; goesWell < 4; goesWell += 1) {
      const { store } = growing(15_000)
      let answers = goesWell
      const found = []
      const failing: Pick<Store, 'readEvents'> = {
        readEvents: (query) => {
          answers -= 1
          return answers < 0 ? async () => left(AWAY) : store.readEvents(query)
        },
      }
      for await (const page of eventPages(failing, { after: 0, type: 'UserSignedOut' })) found.push(page)
      expect(found.at(-1)).to.deep.equal(left(AWAY))
      expect(found.filter(({ _tag }) => _tag === 'Left')).to.have.length(1)
    }
  })
})

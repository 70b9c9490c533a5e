import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { pages } from '../../application/pages.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'

const AWAY: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'nobody answers' }

/** Reads the numbers from 1 to `total`, and says what it was asked. */
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
    it(`of ${total} are ${sizes.join(' and ')}, each asked for once`, async () => {
      const store = reader(total)
      const found = await all(store.read)
      expect(found.map((page) => page._tag === 'Right' && page.right.length)).to.deep.equal(sizes)
      expect(found.flatMap((page) => (page._tag === 'Right' ? page.right : []))).to.deep.equal(
        Array.from({ length: total }, (_, index) => index + 1),
      )
      expect(store.asked).to.deep.equal(asked)
    })
  }

  it('end with the failure of one', async () => {
    const store = reader(5000, 2000)
    const found = await all(store.read)
    expect(found).to.have.lengthOf(3)
    expect(found[2]).to.deep.equal(left(AWAY))
    expect(store.asked).to.deep.equal([0, 1000, 2000])
  })
})

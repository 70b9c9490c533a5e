import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { headOfLog } from '../../application/recording/head-of-log.ts'

/** A gap-free log of this length that counts its reads. */
const logOf = (length: number) => {
  const asked: Array<number> = []
  const log: Pick<Store, 'readEvents'> = {
    readEvents: ({ after, limit }) => {
      asked.push(after)
      const count = Math.max(0, Math.min(limit, length - after))
      const entries = Array.from({ length: count }, (_, index) => ({ position: after + 1 + index }))
      return async () => right(entries as unknown as ReadonlyArray<LogEntry>)
    },
  }
  return { log, asked }
}

const anyLength = fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 2 ** 50 }))

describe('the end of the log', () => {
  it('is found from any earlier position in about twice as many reads as the distance has binary digits', () =>
    fc.assert(
      fc.asyncProperty(anyLength, fc.double({ min: 0, max: 1, noNaN: true }), async (length, part) => {
        const known = Math.floor(length * part)
        const { log, asked } = logOf(length)
        expect(await headOfLog(log, known)()).to.deep.equal(right(length))
        expect(asked.length).to.be.at.most(2 * Math.log2(length - known + 1) + 2)
      }),
    ))

  it('takes one read without new entries, also in an empty log', async () => {
    for (const length of [0, 1, 1_000_000]) {
      const { log, asked } = logOf(length)
      expect(await headOfLog(log, length)()).to.deep.equal(right(length))
      expect(asked).to.deep.equal([length])
    }
  })

  it('is given up in a log that claims an entry after every position', async () => {
    const { log, asked } = logOf(Number.MAX_SAFE_INTEGER)
    await headOfLog(log, 0)()
    expect(asked.length).to.be.below(120)
  })

  it('is unknown while the log cannot be read', async () => {
    const failure = { _tag: 'StoreUnavailable', reason: 'x' } as const
    const { log } = logOf(10)
    const breaksAt = (after: number): Pick<Store, 'readEvents'> => ({
      readEvents: (query) => (query.after >= after ? async () => left(failure) : log.readEvents(query)),
    })
    expect(await headOfLog(breaksAt(0), 0)()).to.deep.equal(left(failure))
    expect(await headOfLog(breaksAt(5), 0)()).to.deep.equal(left(failure))
  })
})

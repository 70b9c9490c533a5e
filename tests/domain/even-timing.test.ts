import { expect } from 'chai'
import * as fc from 'fast-check'
import { answerAfterMs } from '../../domain/even-timing.ts'
import { withoutIo } from './no-io.ts'

describe('the delay of a failed sign-in', () => {
  withoutIo()

  const duration = fc.double({ min: 0.01, max: 9_000, noNaN: true })

  it('is zero if all records take the same time', () => {
    for (const durations of [[], [250], [250, 250, 250]]) expect(answerAfterMs(durations)).to.equal(0)
  })

  it('is slightly above the time of the slowest record, at any position', () => {
    fc.assert(
      fc.property(duration, duration, (one, other) => {
        fc.pre(one !== other)
        const after = answerAfterMs([one, other])
        expect(answerAfterMs([other, one, one])).to.equal(after)
        expect(after).to.be.at.least(Math.min(10_000, 1.1 * Math.max(one, other)))
        expect(after).to.be.at.most(1.4 * Math.max(one, other))
      }),
    )
  })

  it('does not change with small changes of a measurement', () => {
    expect(answerAfterMs([60, 201])).to.equal(answerAfterMs([60, 200]))
    expect(answerAfterMs([61, 200])).to.equal(answerAfterMs([60, 200]))
  })

  it('is ten seconds at most, for every duration', () => {
    for (const slowest of [20_000, 1e12]) expect(answerAfterMs([100, slowest])).to.equal(10_000)
  })
})

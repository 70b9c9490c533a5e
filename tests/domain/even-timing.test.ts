import { expect } from 'chai'
import * as fc from 'fast-check'
import { answerAfterMs } from '../../domain/even-timing.ts'
import { withoutIo } from './no-io.ts'

describe('how long after its hash began a failed sign-in is answered', () => {
  withoutIo()

  const duration = fc.double({ min: 0.01, max: 9_000, noNaN: true })

  it('is not put off where all records take as long', () => {
    for (const durations of [[], [250], [250, 250, 250]]) expect(answerAfterMs(durations)).to.equal(0)
  })

  it('is above what the slowest record takes, wherever that stands, and hardly above', () => {
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

  it('stays where it is when a measurement moves a little', () => {
    expect(answerAfterMs([60, 201])).to.equal(answerAfterMs([60, 200]))
    expect(answerAfterMs([61, 200])).to.equal(answerAfterMs([60, 200]))
  })

  it('is ten seconds at most, whatever a record is said to take', () => {
    for (const slowest of [20_000, 1e12]) expect(answerAfterMs([100, slowest])).to.equal(10_000)
  })
})

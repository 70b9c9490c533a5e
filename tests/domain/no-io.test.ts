import { expect } from 'chai'
import { withoutIo } from './no-io.ts'

describe('the tests of the domain', () => {
  describe('while they run', () => {
    withoutIo()

    const FORBIDDEN: ReadonlyArray<readonly [name: string, use: () => unknown]> = [
      ['Date()', () => Date()],
      ['new Date', () => new Date()],
      ['new Date', () => new Date(0)],
      ['Date.now', () => Date.now()],
      ['Math.random', () => Math.random()],
    ]
    for (const [name, use] of FORBIDDEN) {
      it(`make ${use} fail`, () => {
        expect(use).to.throw(`the domain asked for ${name}`)
      })
    }
  })

  describe('after their end', () => {
    it('restore the clock and the randomness', () => {
      expect(Date()).to.be.a('string')
      expect(new Date(0).toISOString()).to.equal('1970-01-01T00:00:00.000Z')
      expect(Date.now()).to.be.a('number')
      expect(Math.random()).to.be.within(0, 1)
    })
  })
})

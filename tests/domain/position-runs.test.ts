import { expect } from 'chai'
import fc from 'fast-check'
import {
  countOf,
  hasPosition,
  lotsOf,
  parseRuns,
  partsOf,
  type Runs,
  runsOf,
  runsText,
  union,
  without,
} from '../../domain/position-runs.ts'
import { withoutIo } from './no-io.ts'

const positions = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 })
const positionsOf = (runs: Runs): ReadonlyArray<number> => [...lotsOf(runs, 1_000)].flat()
const sorted = (some: Iterable<number>): ReadonlyArray<number> =>
  [...new Set(some)].sort((one, other) => one - other)

describe('runs of positions', () => {
  withoutIo()

  it('are the set of their positions, each run apart from the next', () =>
    fc.assert(
      fc.property(positions, (some) => {
        const runs = runsOf(some)
        expect(positionsOf(runs)).to.deep.equal(sorted(some))
        expect(countOf(runs)).to.equal(new Set(some).size)
        for (const [at, [first]] of runs.entries())
          if (at > 0) expect(first).to.be.greaterThan((runs[at - 1]?.[1] ?? 0) + 1)
        for (let position = 0; position <= 61; position += 1)
          expect(hasPosition(runs, position)).to.equal(some.includes(position))
      }),
    ))

  it('are joined, and taken away from each other, as sets are', () =>
    fc.assert(
      fc.property(positions, positions, (one, other) => {
        expect(positionsOf(union([runsOf(one), runsOf(other)]))).to.deep.equal(sorted([...one, ...other]))
        const left = one.filter((position) => !other.includes(position))
        expect(positionsOf(without(runsOf(one), runsOf(other)))).to.deep.equal(sorted(left))
      }),
    ))

  it('come back from their text, also in parts that are as short as asked', () =>
    fc.assert(
      fc.property(positions, fc.integer({ min: 5, max: 30 }), (some, length) => {
        const runs = runsOf(some)
        expect(parseRuns(runsText(runs))).to.deep.equal(runs)
        const parts = partsOf(runs, length)
        expect(parts.flat()).to.deep.equal(runs)
        for (const part of parts) expect(runsText(part).length).to.be.at.most(length)
      }),
    ))

  it('split a set that is larger than one text', () => {
    const odd = runsOf(Array.from({ length: 100_000 }, (_, at) => 2 * at + 1))
    const parts = partsOf(odd, 16_000)
    expect(parts.map((part) => runsText(part).length <= 16_000)).to.not.include(false)
    expect(parts.length).to.equal(26)
    expect(parts.flat()).to.deep.equal(odd)
  })

  it('have one text: any other is refused', () => {
    expect(
      runsText([
        [3, 5],
        [7, 7],
      ]),
    ).to.equal('2 3 1 1')
    expect(parseRuns('0 1')).to.deep.equal([[1, 1]])
    for (const text of [
      '',
      '2',
      '2 0',
      '2 3 0 1',
      '-1 1',
      '2 3 ',
      ' 2 3',
      '2  3',
      '02 3',
      '2 3.5',
      '1e1 2',
      '2 NaN',
      '0 9007199254740992',
      'x y',
    ])
      expect(parseRuns(text), text).to.equal(undefined)
  })
})

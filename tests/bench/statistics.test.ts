import { expect } from 'chai'
import { costText, inRounds, ratios } from './compare.ts'
import { coresIn } from './machine.ts'
import {
  type Aim,
  marginOf,
  noiseLevelOf,
  noiseOf,
  quantile,
  spreadOf,
  summarize,
  verdictOf,
} from './statistics.ts'

const HIGHER: Aim = { better: 'higher', target: 0.65, floor: 0.55 }
const LOWER: Aim = { better: 'lower', target: 2, floor: 3 }
const QUIET = { busyBefore: 0.1, steal: 0.02, ceilingSpread: 0.1 }

describe('the statistics of the benchmark', () => {
  it('take quantiles by the nearest rank', () => {
    const values = [4, 1, 3, 2]
    for (const [share, expected] of [
      [0, 1],
      [0.25, 1],
      [0.5, 2],
      [0.75, 3],
      [0.99, 4],
      [1, 4],
    ] as const)
      expect(quantile(values, share), String(share)).to.equal(expected)
    expect(quantile([], 0.5)).to.be.NaN
  })

  it('measure the spread as the distance of the quartiles by the median', () => {
    expect(spreadOf(summarize([5, 5, 5, 5]))).to.equal(0)
    expect(spreadOf(summarize([8, 10, 12, 90]))).to.equal(0.4)
  })

  it('divide round by round', () => {
    expect(ratios([10, 30], [5, 10])).to.deep.equal([2, 3])
  })
})

describe('the verdict', () => {
  const CASES: ReadonlyArray<
    readonly [values: ReadonlyArray<number>, aim: Aim | undefined, quiet: string, noisy: string]
  > = [
    [[0.65, 0.65, 0.65], HIGHER, 'reached', 'reached'],
    [[0.64, 0.64, 0.64], HIGHER, 'above the floor', 'above the floor'],
    [[0.55, 0.55, 0.55], HIGHER, 'above the floor', 'above the floor'],
    [[0.54, 0.54, 0.54], HIGHER, 'below the floor', 'below the floor'],
    [[0.5, 0.66, 0.7], HIGHER, 'reached', 'too noisy to tell'],
    [[0.6, 0.6, 0.7], HIGHER, 'above the floor', 'too noisy to tell'],
    [[0.7, 0.7], HIGHER, 'reached', 'too noisy to tell'],
    [[2, 2, 2], LOWER, 'reached', 'reached'],
    [[2.1, 2.1, 2.1], LOWER, 'above the floor', 'above the floor'],
    [[3.1, 3.1, 3.1], LOWER, 'below the floor', 'below the floor'],
    [[1, 1, 9], LOWER, 'reached', 'too noisy to tell'],
    [[1], undefined, 'no target', 'no target'],
  ]
  for (const [values, aim, quiet, noisy] of CASES)
    it(`of ${values.join(', ')}, if ${aim?.better ?? 'nothing'} is better: ${quiet}, with noise ${noisy}`, () => {
      expect(verdictOf(summarize(values), aim)).to.equal(quiet)
      expect(verdictOf(summarize(values), aim, 0)).to.equal(noisy)
    })

  it('needs more distance from the bounds with a larger margin', () => {
    for (const [value, margin, verdict] of [
      [0.8, 0.15, 'reached'],
      [0.8, 0.2, 'too noisy to tell'],
      [0.5, 0.05, 'below the floor'],
      [0.5, 0.15, 'too noisy to tell'],
      [0.1, Number.POSITIVE_INFINITY, 'too noisy to tell'],
    ] as const)
      expect(verdictOf(summarize([value, value, value]), HIGHER, margin), `${value} ± ${margin}`).to.equal(
        verdict,
      )
  })
})

describe('the noise of the machine', () => {
  it('is each share above its limit', () => {
    expect(noiseOf(QUIET)).to.deep.equal([])
    expect(noiseOf({ ...QUIET, busyBefore: 0.43 })).to.deep.equal([
      'other work kept the machine busy at 43 %',
    ])
    expect(noiseOf({ ...QUIET, steal: 0.03 })).to.deep.equal(['the hypervisor took 3 %'])
    expect(noiseOf({ ...QUIET, ceilingSpread: 0.2 })).to.deep.equal(['the ceiling varied by 20 %'])
  })

  it('has the level of the share that exceeds its limit most', () => {
    for (const [noise, level] of [
      [{ busyBefore: 0, steal: 0, ceilingSpread: 0 }, 0],
      [{ ...QUIET, steal: 0.02 }, 1],
      [{ ...QUIET, steal: 0.08 }, 4],
      [{ ...QUIET, busyBefore: 0.5, steal: 0.04 }, 5],
      [{ ...QUIET, ceilingSpread: 0.2 }, 2],
    ] as const)
      expect(noiseLevelOf(noise), JSON.stringify(noise)).to.equal(level)
  })

  it('is a margin: the spread of the ceiling, or without end if other work took most of the CPU', () => {
    expect(marginOf(QUIET)).to.equal(undefined)
    expect(marginOf({ ...QUIET, steal: 0.03 })).to.equal(0.1)
    expect(marginOf({ ...QUIET, ceilingSpread: 0.2 })).to.equal(0.2)
    expect(marginOf({ ...QUIET, busyBefore: 0.5, ceilingSpread: 0.2 })).to.equal(0.2)
    expect(marginOf({ ...QUIET, busyBefore: 0.51 })).to.equal(Number.POSITIVE_INFINITY)
  })
})

describe('the rounds of a comparison', () => {
  it('change their order, and the first one only warms up', async () => {
    const order: Array<string> = []
    const side = (name: string) => async () => {
      order.push(name)
      return order.length
    }
    const measured = await inRounds({ a: side('a'), b: side('b') }, 2)
    expect(order.join('')).to.equal('abbaab')
    expect(measured).to.deep.equal({ a: [4, 5], b: [3, 6] })
  })
})

describe('a CPU time', () => {
  const CASES: ReadonlyArray<readonly [costs: ReadonlyArray<readonly [number, number]>, text: string]> = [
    [[[51.2, 11.8]], '51+12 µs'],
    [
      [
        [1, 30],
        [20, 10],
        [60, 20],
      ],
      '20+20 µs',
    ],
    [[[6.14, 0.2]], '6.1+0.2 µs'],
    [[[2_640, 370]], '2640+370 µs'],
    [[[224_000, 20_400]], '224+20 ms'],
  ]
  for (const [costs, text] of CASES)
    it(`of ${costs.join(' and ')} is ${text}: the medians of user and system, apart`, () =>
      expect(costText(costs.map(([user, system]) => ({ user, system })))).to.equal(text))
})

describe('a list of cores', () => {
  it('may contain ranges', () => {
    expect(coresIn('0-2,5')).to.deep.equal([0, 1, 2, 5])
    expect(coresIn('7')).to.deep.equal([7])
  })
})

import { expect } from 'chai'
import * as fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { counter, histogram } from '../../adapters/observing/prometheus/series.ts'
import { scraped } from '../support/scrape.ts'

const ABOUT = { name: 'one', help: 'What is measured.', labelNames: ['who', 'what'] }
const BOUNDS = [0.1, 1, 2.5, 10]

describe('a tally', () => {
  it('shows exactly what the histogram of the library shows', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom('ada', 'bob', 'a "quoted"\n one'),
            fc.oneof(fc.constantFrom(...BOUNDS), fc.double({ min: 0, max: 20, noNaN: true })),
          ),
        ),
        async (observed) => {
          const [quick, slow] = [new Registry(), new Registry()]
          const series = histogram(quick, ABOUT, BOUNDS)
          const theirs = new Histogram({ ...ABOUT, buckets: BOUNDS, registers: [slow] })
          const known = new Map<string, (value: number) => void>()
          for (const [who, value] of observed) {
            const labels = { who, what: 'x' }
            const observe = known.get(who) ?? series(labels)
            known.set(who, observe)
            observe(value)
            theirs.observe(labels, value)
          }
          expect(await quick.metrics()).to.equal(await slow.metrics())
        },
      ),
    ))

  it('counts each series separately from 0, however often it is looked up', async () => {
    const registry = new Registry()
    const series = counter(registry, ABOUT)
    const ada = series({ who: 'ada', what: 'x' })
    const bob = series({ who: 'bob', what: 'x' })
    const values = async () => {
      const { value } = scraped(await registry.metrics())
      return [value('one{who="ada",what="x"}'), value('one{who="bob",what="x"}')]
    }
    expect(await values()).to.deep.equal([0, 0])
    ada()
    ada()
    bob()
    expect(await values()).to.deep.equal([2, 1])
    ada()
    expect(await values()).to.deep.equal([3, 1])
  })
})

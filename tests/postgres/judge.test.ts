import { expect } from 'chai'
import * as fc from 'fast-check'
import { anyStep } from '../contracts/steps.ts'
import { asOneByOne } from './judged.ts'

describe('changes judged together', () => {
  it('are judged, and leave everything, as if each were committed after the one before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 20 }),
        fc.array(anyStep, { minLength: 1, maxLength: 12 }),
        async (history, batch) => {
          await asOneByOne(history, batch)
        },
      ),
      { numRuns: 400 },
    )
  }).timeout(60_000)

  it('are put to the test by this: there are many of each kind', async () => {
    const counts = {
      refused: 0,
      'refused after rows': 0,
      'written over twice': 0,
      'known already': 0,
      written: 0,
    }
    const some = fc.array(anyStep, { minLength: 12, maxLength: 12 })
    for (const [history, batch] of fc.sample(fc.tuple(some, some), { numRuns: 60, seed: 1 })) {
      const { changes, judged } = await asOneByOne(history, batch)
      for (const [index, judgement] of judged.judgements.entries()) {
        if (judgement === 'written' || judgement === 'known already') counts[judgement] += 1
        else if (judgement !== 'out of order') {
          counts.refused += 1
          if ((changes[index]?.rows.length ?? 0) > 1) counts['refused after rows'] += 1
        }
      }
      const places = judged.changes.flatMap(({ rows }) => rows.map(({ table, row }) => `${table}/${row.id}`))
      counts['written over twice'] += places.length - new Set(places).size
    }
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).to.be.greaterThan(20)
  })
})

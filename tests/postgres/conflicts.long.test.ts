import { expect } from 'chai'
import * as fc from 'fast-check'
import { anyStep } from '../contracts/steps.ts'
import { asOneByOne } from './checked.ts'

describe('checkConflicts, on random batches', () => {
  it('gives each change the same outcome and rows as committing one by one', async () => {
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

  it('meets each kind of outcome often enough', async () => {
    const counts = {
      refused: 0,
      'written beside compared rows': 0,
      'refused with compared rows': 0,
      'refused after rows': 0,
      'written over twice': 0,
      'already committed': 0,
      written: 0,
    }
    const some = fc.array(anyStep, { minLength: 12, maxLength: 12 })
    for (const [history, batch] of fc.sample(fc.tuple(some, some), { numRuns: 120, seed: 1 })) {
      const { changes, checked } = await asOneByOne(history, batch)
      for (const [index, outcome] of checked.outcomes.entries()) {
        const comparesRows = (changes[index]?.compared.length ?? 0) > 0
        if (outcome === 'written' && comparesRows) counts['written beside compared rows'] += 1
        if (outcome === 'written' || outcome === 'already committed') counts[outcome] += 1
        else if (outcome !== 'duplicate event') {
          counts.refused += 1
          if (comparesRows) counts['refused with compared rows'] += 1
          if ((changes[index]?.rows.length ?? 0) > 1) counts['refused after rows'] += 1
        }
      }
      const places = checked.changes.flatMap(({ rows }) => rows.map(({ table, row }) => `${table}/${row.id}`))
      counts['written over twice'] += places.length - new Set(places).size
    }
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).to.be.greaterThan(20)
  })
})

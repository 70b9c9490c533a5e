import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { memoryStore } from '../../adapters/memory/store.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import { anyStep, type Step, taken } from './steps.ts'

describe('memory and SQLite', () => {
  it('answer the same to the same, whatever they are asked one after the other or at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), (steps) => sameAnswers(steps)),
      { numRuns: 60 },
    )
  }).timeout(60_000)

  it('are put to the test by these steps: of every kind of answer there are many', async () => {
    const counts = new Map<string, number>()
    for (const steps of fc.sample(fc.array(anyStep, { minLength: 40, maxLength: 40 }), {
      numRuns: 50,
      seed: 1,
    })) {
      const model = memoryStore()
      for (const step of steps) {
        for (const answer of await (await taken(step, model))(model)) {
          counts.set(answer.kind, (counts.get(answer.kind) ?? 0) + 1)
        }
      }
    }
    for (const kind of ['success', 'Conflict', 'EmailTaken', 'StoreUnavailable', 'found', 'nothing']) {
      expect(counts.get(kind) ?? 0, kind).to.be.greaterThan(20)
    }
  })
})

const sameAnswers = async (steps: ReadonlyArray<Step>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-answers-'))
  const model = memoryStore()
  const store = sqliteStore(join(folder, 'store.db'))
  try {
    for (const step of steps) {
      const ask = await taken(step, model)
      expect(await ask(store)).to.deep.equal(await ask(model))
    }
    await Promise.all([store.close(), model.close()])
    for (const step of steps) {
      const ask = await taken(step, model)
      expect(await ask(store), 'once they are closed').to.deep.equal(await ask(model))
    }
  } finally {
    await store.close()
    await rm(folder, { recursive: true })
  }
}

import { expect } from 'chai'
import * as fc from 'fast-check'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { SHARED_STORES, type StoreKind } from '../support/stores.ts'
import { anyStep, type Step, taken } from './steps.ts'

for (const kind of SHARED_STORES) {
  describe(`memory and ${kind.name}`, () => {
    it('give the same responses to the same sequential and concurrent calls', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), (steps) =>
          sameAnswers(kind, steps),
        ),
        { numRuns: kind === SHARED_STORES[0] ? 60 : 20 }, // each run uses a fresh store, which takes time
      )
    }).timeout(120_000)
  })
}

describe('the generated steps', () => {
  it('cover every kind of response many times', async () => {
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

/** The order of concurrent commits is not promised. Nothing else may differ. */
const inTurn = (store: Store): Store => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...store,
    commit: (change) => () => {
      const outcome = last.then(store.commit(change))
      last = outcome
      return outcome
    },
  }
}

const sameAnswers = async (
  { name, layOut, openStore }: StoreKind,
  steps: ReadonlyArray<Step>,
): Promise<void> => {
  const { url, remove } = await layOut()
  const model = memoryStore()
  const opened = await openStore(url)
  const store = name === 'PostgreSQL' ? inTurn(opened) : opened
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
    await remove()
  }
}

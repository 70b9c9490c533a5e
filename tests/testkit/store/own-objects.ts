import assert from 'node:assert/strict'
import { commitAll } from '../outcome.ts'
import type { Check } from '../store.ts'
import { OBJECT_READS, RECORD_READS, someOfEverything } from './reads.ts'

/** What a store holds is its own: it shares no object with its callers that they could alter. */
export const ownObjectCases = (check: Check): void => {
  for (const [method, read] of RECORD_READS) {
    check(`${method} does not show what was altered in a change after its commit`, async (store) => {
      const made = someOfEverything()
      const given = structuredClone(made)
      await commitAll(store, given)
      const before = structuredClone(await read(store))
      alter(given)
      assert.deepEqual(await read(store), before)
    })
  }
  for (const [method, read] of OBJECT_READS) {
    check(`${method} does not show what was altered in an earlier answer`, async (store) => {
      await commitAll(store, someOfEverything())
      const answer = await read(store)
      const before = structuredClone(answer)
      alter(answer)
      assert.deepEqual(await read(store), before)
    })
  }
}

/**
 * Writes something else over all that the value holds, as deep as it goes. What is frozen stays as it is. `none` is left alone:
 * there is one of it in the whole process.
 */
const alter = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Reflect.get(value, '_tag') === 'None') return
  for (const name of Object.keys(value)) {
    const part: unknown = Reflect.get(value, name)
    if (typeof part === 'object') alter(part)
    else Reflect.set(value, name, typeof part === 'number' ? part + 1 : `${part} altered`)
  }
  if (Array.isArray(value) && !Object.isFrozen(value)) value.pop()
}

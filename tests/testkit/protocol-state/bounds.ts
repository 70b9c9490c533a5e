import assert from 'node:assert/strict'
import type { Check } from '../protocol-state.ts'
import {
  anEntry,
  KEPT_IN_CASES as KEPT,
  LIMITED,
  leftOf,
  NOW,
  ofEachKind,
  put,
  putMany,
  UNLIMITED,
} from './steps.ts'

/** Strangers cannot fill a disk. */
export const boundCases = (check: Check): void => {
  for (const kind of LIMITED) {
    check(`as many entries as the maximum are kept: ${kind}`, async (state) => {
      const entries = await putMany(state, KEPT, () => ({ kind }))
      assert.equal((await leftOf(state, entries)).length, KEPT)
    })

    check(`a full kind drops those that expire first: ${kind}`, async (state) => {
      const fleeting = await putMany(state, 3 * KEPT, (index) => ({ kind, expiresAtSeconds: NOW + index }))
      const left = await leftOf(state, fleeting)
      assert.ok(left.length <= 2 * KEPT, `${left.length} of ${fleeting.length} entries are there`)
      assert.ok(left.length >= KEPT / 2, `no more than ${left.length} entries are there`)
      assert.deepEqual(left, fleeting.slice(fleeting.length - left.length))
    })

    check(`a flood of one kind leaves the entries of all others: ${kind}`, async (state) => {
      const others = ofEachKind({ expiresAtSeconds: 1 }).filter((entry) => entry.kind !== kind)
      await put(state, ...others)
      await putMany(state, 2 * KEPT, () => ({ kind }))
      assert.deepEqual(await leftOf(state, others), others)
    })

    check(`entries that are put again take no more room: ${kind}`, async (state) => {
      const others = await putMany(state, KEPT / 2, () => ({ kind, expiresAtSeconds: NOW }))
      await putMany(state, 2 * KEPT, () => ({ kind, id: anEntry().id, expiresAtSeconds: NOW + 1 }))
      assert.equal((await leftOf(state, others)).length, others.length)
    })
  }

  for (const kind of UNLIMITED)
    check(`a kind without a limit drops no entry: ${kind}`, async (state) => {
      const entries = await putMany(state, 2 * KEPT, (index) => ({ kind, expiresAtSeconds: NOW + index }))
      assert.deepEqual(await leftOf(state, entries), entries)
    })
}

import assert from 'node:assert/strict'
import { change, issuedToken, registered } from '../builders.ts'
import { commitAll, ok, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A store says whether it can be written, and changes no event and no row to find out. */
export const writabilityCases = (check: Check): void => {
  check('a store that takes changes can be written, before the first one and after', async (store) => {
    await ok(store.checkWritable())
    await commitAll(store, change(issuedToken()))
    await ok(store.checkWritable())
  })

  check('to ask whether a store can be written leaves no trace in the log', async (store) => {
    const changes = [change(issuedToken()), change(registered())]
    for (const each of changes) {
      await ok(store.checkWritable())
      await commitAll(store, each)
      await ok(store.checkWritable())
    }
    assert.deepEqual(
      (await wholeLog(store)).map(({ position, id }) => ({ position, id })),
      changes.map(({ id }, index) => ({ position: index + 1, id })),
    )
  })
}

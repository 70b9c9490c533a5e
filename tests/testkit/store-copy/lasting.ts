import assert from 'node:assert/strict'
import { right } from 'fp-ts/lib/Either.js'
import { aRenewal, someChange } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAll, ok, unavailable } from '../outcome.ts'
import { beginning, COPY, type Copyable } from './copies.ts'

/** Copy states and copies are there again when the store is opened again. */
export const lastingCopyCases = (check: CaseOf<[opened: Copyable, again: () => Promise<Copyable>]>): void => {
  check('a moved store is still closed, until a renewal', async ({ store, storeCopy }, again) => {
    await commitAll(store, someChange())
    await ok(storeCopy.lock(COPY, async () => right(undefined)))
    const moved = await again()
    assert.equal((await ok(moved.storeCopy.readCopyState())).state, 'moved')
    await unavailable(moved.store.commit(someChange()))
    await ok(moved.store.renewEpoch(aRenewal))
    const open = await again()
    await commitAll(open.store, someChange())
  })

  check('an incomplete store is still closed, until its copy completes it', async (opened, again) => {
    await beginning(opened)
    const incomplete = await again()
    await unavailable(incomplete.store.commit(someChange()))
    await ok(incomplete.storeCopy.complete(COPY.id))
    const open = await again()
    await commitAll(open.store, someChange())
    assert.deepEqual(await ok(open.storeCopy.readCopyState()), { state: 'open', copyId: COPY.id })
  })
}

import assert from 'node:assert/strict'
import { change, issuedToken, registered } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAll, ok } from '../outcome.ts'
import {
  BOTH,
  by,
  FIRST,
  isStored,
  positions,
  SECOND,
  type StoreWithTree,
  treeGivenBy,
} from './extensions.ts'

/** The tree is there again when the store is opened again. */
export const lastingTreeCases = (
  check: CaseOf<[store: StoreWithTree, again: () => Promise<StoreWithTree>]>,
): void => {
  check('the tree and its tiles are there again', async (store, again) => {
    await commitAll(store, change(registered(), issuedToken()))
    await ok(store.extendTree(by(FIRST)))
    const opened = await again()
    await isStored(opened, FIRST)
    await ok(opened.extendTree(by(SECOND)))
    const last = await again()
    await isStored(last, BOTH)
    assert.equal((await ok(last.readTree())).entries, 2)
  })

  check('an extension gets the tree of before', async (store, again) => {
    await ok(store.extendTree(by(FIRST)))
    const before = await ok(store.readTree())
    const opened = await again()
    assert.deepEqual(await treeGivenBy(opened), before)
  })

  check('what was pruned is still gone, and known to be', async (store, again) => {
    await commitAll(store, change(registered(), issuedToken(), issuedToken()))
    await ok(store.pruneLog({ through: 2, positions: [2] }))
    const opened = await again()
    assert.deepEqual(await positions(opened), [1, 3])
    assert.equal((await ok(opened.readTree())).pruned, 2)
  })
}

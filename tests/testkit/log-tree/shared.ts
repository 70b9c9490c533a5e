import assert from 'node:assert/strict'
import { change, issuedToken, registered } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAll, ok } from '../outcome.ts'
import {
  BOTH,
  by,
  FIRST,
  isStored,
  linesOf,
  positions,
  SECOND,
  type StoreWithTree,
  treeGivenBy,
} from './extensions.ts'

/** All handles on a store have one tree. */
export const sharedTreeCases = (
  check: CaseOf<[one: StoreWithTree, other: StoreWithTree, third: StoreWithTree]>,
): void => {
  check('the tree and the tiles of one handle are those of the others', async (...handles) => {
    const [one, other] = handles
    for (const handle of handles) assert.equal((await ok(handle.readTree())).size, 0)
    await ok(one.extendTree(by(FIRST)))
    for (const handle of handles) await isStored(handle, FIRST)
    await ok(other.extendTree(by(SECOND)))
    for (const handle of handles) await isStored(handle, BOTH)
  })

  check('an extension gets the tree that another handle has stored', async (one, other) => {
    await ok(one.extendTree(by(FIRST)))
    const before = await ok(one.readTree())
    assert.deepEqual(await treeGivenBy(other), before)
  })

  check('what one handle has pruned is gone for the others, and known to be', async (...handles) => {
    const [one] = handles
    await commitAll(one, change(registered(), issuedToken(), issuedToken()))
    for (const handle of handles) assert.deepEqual(await positions(handle), [1, 2, 3])
    await ok(one.pruneLog({ through: 2, positions: [2] }))
    for (const handle of handles) {
      assert.deepEqual(await positions(handle), [1, 3])
      assert.deepEqual(
        (await linesOf(handle, 0)).map(({ position }) => position),
        [1, 3],
      )
      assert.equal((await ok(handle.readTree())).pruned, 2)
    }
  })
}

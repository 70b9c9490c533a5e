import assert from 'node:assert/strict'
import type { CopyPage } from '../../../application/ports/store-copy.ts'
import { someChange } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAll, ok, refused, unavailable } from '../outcome.ts'
import { beginning, COPY, type Copyable } from './copies.ts'

/** What only its own copy does with an incomplete store. */
export const targetCases = (check: CaseOf<[opened: Copyable]>): void => {
  check('an unfinished copy from another place is not overwritten', async (opened) => {
    await beginning(opened)
    const contents = await ok(opened.storeCopy.readContents())
    const copyState = await ok(opened.storeCopy.readCopyState())
    await refused(opened.storeCopy.begin({ id: 'another', place: 'elsewhere' }, contents), {
      _tag: 'NotEmpty',
      copyState,
    })
    assert.deepEqual(await ok(opened.storeCopy.readCopyState()), copyState)
  })

  check('an unfinished copy from another epoch is not overwritten', async (opened) => {
    await beginning(opened)
    const contents = { ...(await ok(opened.storeCopy.readContents())), epoch: '00000000' }
    const copyState = await ok(opened.storeCopy.readCopyState())
    await refused(opened.storeCopy.begin({ ...COPY, id: 'another' }, contents), {
      _tag: 'NotEmpty',
      copyState,
    })
    assert.deepEqual(await ok(opened.storeCopy.readCopyState()), copyState)
  })

  check('a page of another copy is not written', async (opened) => {
    await beginning(opened)
    const page: CopyPage = { part: 'tiles', tiles: [{ level: 0, index: 0, hashes: new Uint8Array(32) }] }
    await unavailable(opened.storeCopy.write('another', page))
    assert.equal((await ok(opened.storeCopy.readContents())).items.tiles, 0)
  })

  check('only its own copy settles its pages, until it is complete', async (opened) => {
    await unavailable(opened.storeCopy.settle(COPY.id))
    await beginning(opened)
    await ok(opened.storeCopy.settle(COPY.id))
    await ok(opened.storeCopy.settle(COPY.id))
    await unavailable(opened.storeCopy.settle('another'))
    assert.equal((await ok(opened.storeCopy.readCopyState())).state, 'incomplete')
    await ok(opened.storeCopy.complete(COPY.id))
    await unavailable(opened.storeCopy.settle(COPY.id))
  })

  check('only its own copy completes a store, also twice', async (opened) => {
    await beginning(opened)
    await unavailable(opened.storeCopy.complete('another'))
    assert.equal((await ok(opened.storeCopy.readCopyState())).state, 'incomplete')
    await ok(opened.storeCopy.complete(COPY.id))
    await ok(opened.storeCopy.complete(COPY.id))
    await commitAll(opened.store, someChange())
    await unavailable(opened.storeCopy.write(COPY.id, { part: 'users', rows: [] }))
  })

  check('a store that is no target is not completed', async ({ storeCopy }) => {
    await unavailable(storeCopy.complete(COPY.id))
  })
}

import assert from 'node:assert/strict'
import { right } from 'fp-ts/lib/Either.js'
import { EXPIRING_TABLES } from '../../../application/ports/store.ts'
import { aRenewal, change, registered, signedIn, someChange } from '../builders.ts'
import type { CaseOf } from '../frames.ts'
import { commitAll, ok, unavailable, wholeLog } from '../outcome.ts'
import { beginning, COPY, type Copyable, writesOf } from './copies.ts'

/** What a moved store and an incomplete one refuse, and how a moved one is opened again. */
export const closedStoreCases = (check: CaseOf<[opened: Copyable]>): void => {
  for (const [name, close] of [
    ['a moved store', async ({ storeCopy }) => ok(storeCopy.lock(COPY, async () => right(undefined)))],
    ['an incomplete store', beginning],
  ] as const satisfies ReadonlyArray<readonly [string, (opened: Copyable) => Promise<unknown>]>) {
    for (const { method, write } of writesOf())
      check(`${name} refuses ${method}`, async (opened) => {
        if (name === 'a moved store') await commitAll(opened.store, change(registered(), signedIn()))
        await close(opened)
        const task = write(opened.store)
        if (task === undefined) return // without a tree
        await unavailable(task)
      })
    check(`${name} is read`, async (opened) => {
      await close(opened)
      await wholeLog(opened.store)
      for (const table of EXPIRING_TABLES) await ok(opened.store.listRows({ table, after: '', limit: 1 }))
    })
  }

  check('a renewal opens a moved store under another epoch', async ({ store, storeCopy }) => {
    await commitAll(store, someChange())
    const epoch = await ok(store.readEpoch())
    await ok(storeCopy.lock(COPY, async () => right(undefined)))
    assert.notEqual(await ok(store.renewEpoch(aRenewal)), epoch)
    assert.deepEqual(await ok(storeCopy.readCopyState()), { state: 'open', copyId: undefined })
    await commitAll(store, someChange())
    assert.ok((await wholeLog(store)).some(({ type }) => type === 'LogRenewed'))
  })

  check('an incomplete store is not renewed', async (opened) => {
    await beginning(opened)
    await unavailable(opened.store.renewEpoch(aRenewal))
    assert.equal((await ok(opened.storeCopy.readCopyState())).state, 'incomplete')
  })
}

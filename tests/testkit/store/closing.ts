import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAll, unavailable } from '../outcome.ts'
import type { Check } from '../store.ts'
import { METHODS } from './methods.ts'

/** A closed store says so, and drops nothing it was asked for before. */
export const closingCases = (check: Check): void => {
  for (const [method, call] of METHODS) {
    check(`${method} answers StoreUnavailable once the store is closed`, async (store) => {
      await commitAll(store, change(issuedToken()))
      await store.close()
      const { reason } = await unavailable(call(store))
      assert.ok(typeof reason === 'string' && reason !== '')
    })
  }

  check('closing twice, or twice at once, does nothing more', async (store) => {
    await commitAll(store, change(issuedToken()))
    await Promise.all([store.close(), store.close()])
    await store.close()
  })

  check('commits that start before close are done when it resolves', async (store) => {
    let succeeded = 0
    const commits = Array.from({ length: 300 }, () =>
      store
        .commit(change(registered(aUser())))()
        .then((outcome) => {
          succeeded += Number(isRight(outcome))
        }),
    )
    await store.close()
    // One turn, for what is resolved already to be heard of.
    await new Promise(setImmediate)
    assert.equal(succeeded, 300)
    await Promise.all(commits)
  })

  check('what starts after close has begun is not done', async (store) => {
    const before = store.commit(change(registered()))()
    const closing = store.close()
    await unavailable(store.commit(change(registered())))
    await closing
    assert.equal((await before)._tag, 'Right')
  })
}

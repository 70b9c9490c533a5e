import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import type { EndedEpoch, Store } from '../../../application/ports/store.ts'
import { aRenewal, change, issuedToken, registered } from '../builders.ts'
import { commitAll, commitAtOnce, ok, tally, unavailable, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** The epoch tells the positions of this log from those of its copies. */
export const epochCases = (check: Check): void => {
  check('the epoch is 8 hexadecimal digits, before anything is written', async (store) => {
    assert.match(await ok(store.readEpoch()), /^[0-9a-f]{8}$/)
  })

  check('commits keep the epoch', async (store) => {
    const epoch = await ok(store.readEpoch())
    await commitAll(store, change(registered(), issuedToken()), change(issuedToken()))
    assert.equal(await ok(store.readEpoch()), epoch)
  })

  check('each renewal gives the log an epoch that it never had, and resolves with it', async (store) => {
    const seen = [await ok(store.readEpoch())]
    for (let renewal = 1; renewal <= 5; renewal += 1) {
      const epoch = await ok(store.renewEpoch(aRenewal))
      assert.match(epoch, /^[0-9a-f]{8}$/)
      assert.equal(await ok(store.readEpoch()), epoch)
      assert.ok(!seen.includes(epoch))
      seen.push(epoch)
    }
  })

  check('a renewal appends its entry, which knows the epoch and the size before it', async (store) => {
    await commitAll(store, change(issuedToken(), issuedToken()))
    const epoch = await ok(store.readEpoch())
    const told: Array<EndedEpoch> = []
    await ok(
      store.renewEpoch((ended) => {
        told.push(ended)
        return aRenewal(ended)
      }),
    )
    await commitAll(store, change(issuedToken()))
    assert.deepEqual(told.at(-1), { epoch, size: 2 })
    const log = await wholeLog(store)
    assert.deepEqual(
      log.map(({ position }) => position),
      [1, 2, 3, 4],
    )
    assert.deepEqual(log[2]?.data, { previous_origin: epoch, size: 2 })
    assert.equal(log[2]?.type, 'LogRenewed')
  })

  check('a renewal whose entry is in the log already renews nothing', async (store) => {
    const known = change(issuedToken())
    await commitAll(store, known)
    const epoch = await ok(store.readEpoch())
    await unavailable(store.renewEpoch((ended) => ({ ...aRenewal(ended), id: known.id })))
    assert.equal(await ok(store.readEpoch()), epoch)
    assert.equal((await wholeLog(store)).length, 1)
  })

  check('renewals and commits at once leave no gap, and each renewal knows the one before', async (store) => {
    const first = await ok(store.readEpoch())
    await renewalsAndCommits([store])
    await knowEachOther(store, first)
  })
}

/** Twenty commits and four renewals on each handle, all at once. */
export const renewalsAndCommits = async (handles: ReadonlyArray<Store>): Promise<void> => {
  const done = handles.flatMap((handle) => [
    ...Array.from({ length: 4 }, async () => isRight(await handle.renewEpoch(aRenewal)())),
    commitAtOnce(
      handle,
      Array.from({ length: 20 }, () => change(issuedToken())),
    ).then((outcomes) => tally(outcomes).success === 20),
  ])
  assert.ok((await Promise.all(done)).every(Boolean))
}

/** Each `LogRenewed` names the epoch that the one before began, and how many entries are before itself. */
export const knowEachOther = async (store: Store, first: string): Promise<void> => {
  const log = await wholeLog(store)
  assert.deepEqual(
    log.map(({ position }) => position),
    log.map((_, index) => index + 1),
  )
  const renewals = log.flatMap((entry) => (entry.type === 'LogRenewed' ? [entry] : []))
  assert.deepEqual(
    renewals.map(({ data }) => data.size),
    renewals.map(({ position }) => position - 1),
  )
  const epochs = [...renewals.map(({ data }) => data.previous_origin), await ok(store.readEpoch())]
  assert.equal(epochs[0], first)
  assert.equal(new Set(epochs).size, renewals.length + 1)
}

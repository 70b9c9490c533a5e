import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { SharedCheck } from '../failure-counts.ts'
import { ok } from '../outcome.ts'
import { countIn, countOne, failures, keep, read, remove } from './steps.ts'

/** What is done through one handle is done, for every other one too. */
export const sharedCases = (check: SharedCheck): void => {
  check(
    'an update through one handle is visible through the others, even after they read',
    async (one, other) => {
      assert.deepEqual(await read(other, 'key'), none)
      for (const count of [1, 2, 3]) {
        await keep(one, 'key', failures(count))
        assert.deepEqual(await read(other, 'key'), some(failures(count)))
      }
    },
  )

  check('a deletion through one handle is visible through the others', async (one, other) => {
    await keep(one, 'key', failures(3))
    assert.deepEqual(await read(other, 'key'), some(failures(3)))
    await remove(one, 'key')
    assert.deepEqual(await read(other, 'key'), none)
    await ok(countOne(other, 'key'))
    assert.deepEqual(await read(one, 'key'), some(failures(1)))
  })

  check('300 concurrent updates of one key through several handles are all counted', async (...handles) => {
    const before = await acrossHandles(handles, 300, (counts) => ok(countOne(counts, 'key')))
    for (const handle of handles) assert.deepEqual(await read(handle, 'key'), some(failures(300)))
    assert.deepEqual(
      [...before].sort((one, other) => one - other),
      Array.from({ length: 300 }, (_, index) => index),
    )
  })

  check('concurrent updates through several handles never exceed the limit', async (...handles) => {
    const letThrough = await acrossHandles(handles, 90, (counts) =>
      ok(
        counts.update({ kind: 'account', key: 'key' }, (known) => {
          const isFree = countIn(known) < 30
          return { kept: isFree ? some(failures(countIn(known) + 1)) : known, answer: isFree }
        }),
      ),
    )
    assert.equal(letThrough.filter(Boolean).length, 30)
    assert.deepEqual(await read(handles[0], 'key'), some(failures(30)))
  })

  check('closing one handle drops none of its updates, and leaves the others open', async (one, other) => {
    const waiting = Array.from({ length: 20 }, () => countOne(one, 'key')())
    await one.close()
    assert.ok((await Promise.all(waiting)).every(isRight))
    await ok(countOne(other, 'key'))
    assert.deepEqual(await read(other, 'key'), some(failures(21)))
  })
}

/** So many at once, each through the next handle in turn. */
const acrossHandles = <A>(
  handles: ReadonlyArray<FailureCounts>,
  count: number,
  ask: (counts: FailureCounts) => Promise<A>,
): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: count / handles.length }, () => handles.map(ask)).flat())

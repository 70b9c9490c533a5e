import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { LastingCheck } from '../failure-counts.ts'
import { countIn, countOne, failures, keep, NOW, read, remove } from './steps.ts'

/** What is kept is there again when the counts are opened again. */
export const lastingCases = (check: LastingCheck): void => {
  check('counts are there again, to the millisecond', async (counts, again) => {
    const kept = failures(30, { refusedUntil: NOW + 1, forgottenFrom: NOW + 86_400_001 })
    await keep(counts, 'key', failures(1))
    await keep(counts, 'key', kept)
    await keep(counts, 'another', failures(2))
    const opened = await again()
    assert.deepEqual(await read(opened, 'key'), some(kept))
    assert.deepEqual(await read(opened, 'another'), some(failures(2)))
    assert.deepEqual(await read(opened, 'a third'), none)
  })

  check('deleted counts are not there again', async (counts, again) => {
    await keep(counts, 'key', failures(3))
    await remove(counts, 'key')
    assert.deepEqual(await read(await again(), 'key'), none)
  })

  check('updates that were not awaited before close are there', async (counts, again) => {
    const updates = Array.from({ length: 20 }, () => countOne(counts, 'key')())
    const opened = await again()
    assert.ok((await Promise.all(updates)).every(isRight))
    assert.equal(countIn(await read(opened, 'key')), 20)
  })

  check('counts can be closed and reopened repeatedly, and continue', async (counts, again) => {
    let opened = counts
    for (let round = 1; round <= 4; round += 1) {
      await countOne(opened, 'key')()
      opened = await again()
      assert.equal(countIn(await read(opened, 'key')), round)
    }
  })
}

import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Failures } from '../../../domain/throttle.ts'
import type { Check } from '../failure-counts.ts'
import { ok } from '../outcome.ts'
import { countOne, failures, keep, NOW, read, remove } from './steps.ts'

/** One update after the other on one key. */
export const updateCases = (check: Check): void => {
  check('what was never kept is none', async (counts) => {
    assert.deepEqual(await read(counts, 'key'), none)
  })

  for (const [what, kept] of KEPT) {
    check(`what is kept is known to the next: ${what}`, async (counts) => {
      await keep(counts, 'key', kept)
      assert.deepEqual(await read(counts, 'key'), some(kept))
    })
  }

  check('what is kept later takes the place of all that was kept before', async (counts) => {
    const later = failures(7, { refusedUntil: NOW + 30_000, forgottenFrom: NOW + 60_000 })
    await keep(counts, 'key', failures(900, { refusedUntil: NOW + 900_000, forgottenFrom: NOW + 900_000 }))
    await keep(counts, 'key', later)
    assert.deepEqual(await read(counts, 'key'), some(later))
  })

  check('none deletes what was kept, and the key may be used again', async (counts) => {
    await keep(counts, 'key', failures(3))
    await remove(counts, 'key')
    assert.deepEqual(await read(counts, 'key'), none)
    await remove(counts, 'key')
    await keep(counts, 'key', failures(1))
    assert.deepEqual(await read(counts, 'key'), some(failures(1)))
  })

  for (const answer of ANSWERS) {
    check(`the answer is what was decided: ${String(answer)}`, async (counts) => {
      const given = await ok(counts.update('key', (known) => ({ kept: known, answer })))
      assert.equal(given, answer)
    })
  }

  check('one that keeps what it knows changes nothing', async (counts) => {
    const kept = failures(3, { refusedUntil: NOW + 30_000 })
    await keep(counts, 'key', kept)
    for (let each = 0; each < 10; each += 1) await read(counts, 'key')
    assert.deepEqual(await read(counts, 'key'), some(kept))
    await read(counts, 'another')
    assert.deepEqual(await read(counts, 'another'), none)
  })

  check('one that keeps the same once more, in other words, changes nothing', async (counts) => {
    const kept = failures(3, { refusedUntil: NOW + 30_000 })
    await keep(counts, 'key', kept)
    await keep(counts, 'key', { ...kept })
    assert.deepEqual(await read(counts, 'key'), some(kept))
  })

  check('one that is asked for but not run does nothing', async (counts) => {
    countOne(counts, 'key')
    await new Promise(setImmediate)
    assert.deepEqual(await read(counts, 'key'), none)
  })

  check('one that is run twice is done twice', async (counts) => {
    const counting = countOne(counts, 'key')
    assert.deepEqual([await ok(counting), await ok(counting)], [0, 1])
    assert.deepEqual(await read(counts, 'key'), some(failures(2)))
  })
}

const KEPT: ReadonlyArray<readonly [string, Failures]> = [
  ['one failure', failures(1)],
  ['a pause, to the millisecond', failures(30, { refusedUntil: NOW + 1, forgottenFrom: NOW + 86_400_001 })],
  ['large numbers', failures(1_000_000_007, { refusedUntil: 8.64e15, forgottenFrom: 8.64e15 })],
]

export const ANSWERS: ReadonlyArray<unknown> = [undefined, null, 0, '', false, Symbol('an answer')]

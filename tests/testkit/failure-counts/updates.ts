import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Failures } from '../../../domain/throttle.ts'
import type { Check } from '../failure-counts.ts'
import { ok } from '../outcome.ts'
import { countOne, failures, keep, NOW, read, remove } from './steps.ts'

/** One update after the other on one key. */
export const updateCases = (check: Check): void => {
  check('an unknown key has no count', async (counts) => {
    assert.deepEqual(await read(counts, 'key'), none)
  })

  for (const [what, kept] of KEPT) {
    check(`an update sees what the one before it kept: ${what}`, async (counts) => {
      await keep(counts, 'key', kept)
      assert.deepEqual(await read(counts, 'key'), some(kept))
    })
  }

  check('a later count replaces the earlier one completely', async (counts) => {
    const later = failures(7, { refusedUntil: NOW + 30_000, forgottenFrom: NOW + 60_000 })
    await keep(counts, 'key', failures(900, { refusedUntil: NOW + 900_000, forgottenFrom: NOW + 900_000 }))
    await keep(counts, 'key', later)
    assert.deepEqual(await read(counts, 'key'), some(later))
  })

  check('none deletes the count, and the key can be used again', async (counts) => {
    await keep(counts, 'key', failures(3))
    await remove(counts, 'key')
    assert.deepEqual(await read(counts, 'key'), none)
    await remove(counts, 'key')
    await keep(counts, 'key', failures(1))
    assert.deepEqual(await read(counts, 'key'), some(failures(1)))
  })

  for (const answer of ANSWERS) {
    check(`an update returns the answer of decide: ${String(answer)}`, async (counts) => {
      const given = await ok(
        counts.update({ kind: 'account', key: 'key' }, (known) => ({ kept: known, answer })),
      )
      assert.equal(given, answer)
    })
  }

  check('an update that keeps what it knows changes nothing', async (counts) => {
    const kept = failures(3, { refusedUntil: NOW + 30_000 })
    await keep(counts, 'key', kept)
    for (let each = 0; each < 10; each += 1) await read(counts, 'key')
    assert.deepEqual(await read(counts, 'key'), some(kept))
    await read(counts, 'another')
    assert.deepEqual(await read(counts, 'another'), none)
  })

  check('an update that keeps an equal count changes nothing', async (counts) => {
    const kept = failures(3, { refusedUntil: NOW + 30_000 })
    await keep(counts, 'key', kept)
    await keep(counts, 'key', { ...kept })
    assert.deepEqual(await read(counts, 'key'), some(kept))
  })

  check('an update that is not run does nothing', async (counts) => {
    countOne(counts, 'key')
    await new Promise(setImmediate)
    assert.deepEqual(await read(counts, 'key'), none)
  })

  check('an update that is run twice counts twice', async (counts) => {
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

import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Check } from '../failure-counts.ts'
import { failures, keep, read, remove } from './steps.ts'

/** What is kept under one key is nothing to any other, however much they resemble each other. */
export const keyCases = (check: Check): void => {
  for (const [what, keys] of ALIKE) {
    check(`keys that differ are kept apart: ${what}`, async (counts) => {
      for (const [index, key] of keys.entries()) await keep(counts, key, failures(index + 1))
      for (const [index, key] of keys.entries())
        assert.deepEqual(await read(counts, key), some(failures(index + 1)), JSON.stringify(key))
    })
  }

  check('deleting under one key leaves the others', async (counts) => {
    for (const key of ['one', 'two', 'three']) await keep(counts, key, failures(key.length))
    await remove(counts, 'two')
    assert.deepEqual(await read(counts, 'one'), some(failures(3)))
    assert.deepEqual(await read(counts, 'two'), none)
    assert.deepEqual(await read(counts, 'three'), some(failures(5)))
  })

  check('names such as __proto__ are keys like any other', async (counts) => {
    for (const key of MEANINGFUL) assert.deepEqual(await read(counts, key), none, key)
    for (const key of MEANINGFUL) await keep(counts, key, failures(key.length))
    for (const key of MEANINGFUL) assert.deepEqual(await read(counts, key), some(failures(key.length)), key)
  })
}

const MEANINGFUL = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  "'; DELETE FROM failure_counts",
]

const ALIKE: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['digests', ['0'.repeat(64), '1'.repeat(64), `${'0'.repeat(63)}1`, `1${'0'.repeat(63)}`]],
  ['case', ['a', 'A']],
  ['space', ['', ' ', '  ', 'a', ' a', 'a ', 'a\n']],
  ['numbers', ['1', '01', '1.0', '1e0', '+1']],
  ['U+0000 and what stands behind it', ['a', 'a\0', 'a\0a', 'a\0b']],
  ['composed and decomposed', ['\u00e9', 'e\u0301']],
  ['beyond the first plane', ['\uff5e', '\u{1f98a}', '\u{1f98b}']],
  ['length', ['k'.repeat(9_999), 'k'.repeat(10_000)]],
]

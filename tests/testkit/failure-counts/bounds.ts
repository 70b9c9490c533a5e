import assert from 'node:assert/strict'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Check } from '../failure-counts.ts'
import { failures, KEPT_IN_CASES as KEPT, keep, NOW, read } from './steps.ts'

/** Nobody can fill a disk with keys, nor make others forgotten before their time with few of them. */
export const boundCases = (check: Check): void => {
  check('as many keys as the maximum are kept', async (counts) => {
    const keys = await keepAll(counts, 'key', KEPT, () => HOUR_MS)
    assert.equal((await leftOf(counts, keys)).length, KEPT)
  })

  check(
    'a count lasts until forgottenFrom, to the millisecond, while other keys change',
    async (counts, clock) => {
      const kept = failures(3, { forgottenFrom: NOW + 10_000 })
      await keep(counts, 'key', kept)
      await keepAll(counts, 'over', KEPT - 1, () => 9_998)
      clock.set(NOW + 9_999)
      await keepAll(counts, 'new', 200, () => HOUR_MS)
      assert.deepEqual(await read(counts, 'key'), some(kept))
    },
  )

  check('keys beyond twice the maximum are dropped', async (counts) => {
    const keys = await keepAll(counts, 'key', 3 * KEPT, (index) => HOUR_MS + index)
    const left = await leftOf(counts, keys)
    assert.ok(left.length <= 2 * KEPT, `${left.length} of ${keys.length} keys are there`)
    assert.ok(left.length >= KEPT / 2, `no more than ${left.length} keys are there`)
  })

  check('drops the earliest forgottenFrom first', async (counts) => {
    const lasting = await keepAll(counts, 'lasting', KEPT / 2, () => 24 * HOUR_MS)
    const fleeting = await keepAll(counts, 'fleeting', 3 * KEPT, (index) => HOUR_MS + index)
    assert.deepEqual(await leftOf(counts, lasting), lasting)
    const left = await leftOf(counts, fleeting)
    assert.deepEqual(left, fleeting.slice(fleeting.length - left.length))
  })

  check('an expired key frees a place', async (counts, clock) => {
    await keepAll(counts, 'over', KEPT, () => 1_000)
    clock.set(NOW + 1_000)
    const keys = await keepAll(counts, 'key', KEPT, () => HOUR_MS)
    assert.deepEqual(await leftOf(counts, keys), keys)
  })
}

const HOUR_MS = 3600 * 1000

/** Keeps so many keys, in their order, each to be forgotten so long after the beginning. */
const keepAll = async (
  counts: FailureCounts,
  name: string,
  count: number,
  endOf: (index: number) => number,
): Promise<ReadonlyArray<string>> => {
  const keys = Array.from({ length: count }, (_, index) => `${name} ${index}`)
  await inPortions(keys, (key, index) =>
    keep(counts, key, failures(1, { forgottenFrom: NOW + endOf(index) })),
  )
  return keys
}

const leftOf = async (counts: FailureCounts, keys: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found = await inPortions(keys, (key) => read(counts, key))
  return keys.filter((_, index) => isSome(found[index] ?? none))
}

/** Many at once, but too few to be refused as an overload. */
const inPortions = async <A>(
  keys: ReadonlyArray<string>,
  ask: (key: string, index: number) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const answers: Array<A> = []
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const portion = keys.slice(from, from + AT_ONCE)
    answers.push(...(await Promise.all(portion.map((key, index) => ask(key, from + index)))))
  }
  return answers
}

const AT_ONCE = 500

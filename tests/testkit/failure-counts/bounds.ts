import assert from 'node:assert/strict'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { CountKind, FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Check } from '../failure-counts.ts'
import { ok } from '../outcome.ts'
import {
  countIn,
  countOne,
  failures,
  KEPT_IN_CASES as KEPT,
  keep,
  LIMITED,
  NOW,
  read,
  UNLIMITED,
} from './steps.ts'

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

  check('counts of one failure are dropped first, however late they end', async (counts) => {
    const repeated = await keepAll(counts, 'repeated', KEPT / 2, () => HOUR_MS, { failed: 2 })
    await keepAll(counts, 'once', 3 * KEPT, (index) => 24 * HOUR_MS + index)
    assert.deepEqual(await leftOf(counts, repeated), repeated)
  })

  check('of repeated failures, drops the earliest forgottenFrom first', async (counts) => {
    const keys = await keepAll(counts, 'repeated', 3 * KEPT, (index) => HOUR_MS + index, { failed: 2 })
    const left = await leftOf(counts, keys)
    assert.ok(left.length <= 2 * KEPT, `${left.length} of ${keys.length} keys are there`)
    assert.deepEqual(left, keys.slice(keys.length - left.length))
  })

  check('new keys get their second failure when all others have two', async (counts) => {
    await keepAll(counts, 'repeated', 3 * KEPT, () => HOUR_MS, { failed: 2 })
    const keys = Array.from({ length: 100 }, (_, index) => `new ${index}`)
    for (const key of keys) {
      await ok(countOne(counts, key))
      await ok(countOne(counts, key))
    }
    const found = await Promise.all(keys.map((key) => read(counts, key)))
    const repeated = found.filter((known) => countIn(known) === 2).length
    assert.ok(repeated >= 90, `${repeated} of ${keys.length} keys have two failures`)
  })

  for (const flooded of LIMITED) {
    check(`a flood of one kind leaves the counts of all others: ${flooded}`, async (counts) => {
      const others = [...LIMITED, ...UNLIMITED].filter((kind) => kind !== flooded)
      for (const kind of others) await keep(counts, kind, failures(1, { forgottenFrom: NOW + 1 }), kind)
      const flood = await keepAll(counts, 'flood', 3 * KEPT, () => HOUR_MS, { kind: flooded })
      const left = await leftOf(counts, flood, flooded)
      assert.ok(left.length <= 2 * KEPT, `${left.length} of ${flood.length} keys are there`)
      for (const kind of others) assert.ok(isSome(await read(counts, kind, kind)), kind)
    })
  }

  for (const kind of UNLIMITED) {
    check(`a kind without a limit drops no count before it ends: ${kind}`, async (counts) => {
      const keys = await keepAll(counts, 'key', 2 * KEPT, (index) => HOUR_MS + index, { kind })
      assert.deepEqual(await leftOf(counts, keys, kind), keys)
    })
  }
}

const HOUR_MS = 3600 * 1000

/** Keeps so many keys, in their order, each to be forgotten so long after the beginning. */
const keepAll = async (
  counts: FailureCounts,
  name: string,
  count: number,
  endOf: (index: number) => number,
  { kind, failed = 1 }: Readonly<{ kind?: CountKind; failed?: number }> = {},
): Promise<ReadonlyArray<string>> => {
  const keys = Array.from({ length: count }, (_, index) => `${name} ${index}`)
  await inPortions(keys, (key, index) =>
    keep(counts, key, failures(failed, { forgottenFrom: NOW + endOf(index) }), kind),
  )
  return keys
}

const leftOf = async (
  counts: FailureCounts,
  keys: ReadonlyArray<string>,
  kind?: CountKind,
): Promise<ReadonlyArray<string>> => {
  const found = await inPortions(keys, (key) => read(counts, key, kind))
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

const AT_ONCE = KEPT / 4

import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Check } from '../failure-counts.ts'
import { ok } from '../outcome.ts'
import { countIn, countOne, failures, read } from './steps.ts'

/** Of several at once each decides on what the one before it has left. */
export const concurrencyCases = (check: Check): void => {
  check('1,000 concurrent updates of one key are all counted', async (counts) => {
    await Promise.all(times(1_000, () => ok(countOne(counts, 'key'))))
    assert.deepEqual(await read(counts, 'key'), some(failures(1_000)))
  })

  check('each of 1,000 concurrent updates of one key sees the one before it', async (counts) => {
    const before = await Promise.all(times(1_000, () => ok(countOne(counts, 'key'))))
    assert.deepEqual(inOrder(before), times(1_000, index))
  })

  check('100 concurrent updates of one key never exceed the limit', async (counts) => {
    const letThrough = await Promise.all(
      times(100, () =>
        ok(
          counts.update({ kind: 'account', key: 'key' }, (known) => {
            const isFree = countIn(known) < 30
            return { kept: isFree ? some(failures(countIn(known) + 1)) : known, answer: isFree }
          }),
        ),
      ),
    )
    assert.equal(letThrough.filter(Boolean).length, 30)
    assert.deepEqual(await read(counts, 'key'), some(failures(30)))
  })

  check('1,000 concurrent updates of ten keys are counted for each key', async (counts) => {
    await Promise.all(times(1_000, (index) => ok(countOne(counts, `key ${index % 10}`))))
    for (let key = 0; key < 10; key += 1)
      assert.deepEqual(await read(counts, `key ${key}`), some(failures(100)))
  })

  check('a deletion among concurrent updates deletes what the ones before it counted', async (counts) => {
    const counting = () => Promise.all(times(20, () => ok(countOne(counts, 'key'))))
    const [first, deleted, second] = await Promise.all([counting(), ok(deleting(counts)), counting()])
    const before = [...first, ...second]
    const left = 40 - deleted // whichever came first
    assert.deepEqual(inOrder(before), inOrder([...times(deleted, index), ...times(left, index)]))
    assert.equal(countIn(await read(counts, 'key')), left)
  })

  check('updates that change nothing do not disturb concurrent ones that do', async (counts) => {
    const outcomes = await Promise.all(
      times(400, (index) => (index % 2 === 0 ? countOne(counts, 'key')() : refusing(counts)())),
    )
    assert.ok(outcomes.every(isRight))
    assert.deepEqual(await read(counts, 'key'), some(failures(200)))
    assert.deepEqual(await read(counts, 'another'), none)
  })
}

const deleting = (counts: FailureCounts) =>
  counts.update({ kind: 'account', key: 'key' }, (known) => ({ kept: none, answer: countIn(known) }))

const refusing = (counts: FailureCounts) =>
  counts.update({ kind: 'account', key: 'key' }, (known) => ({ kept: known, answer: -1 }))

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const index = (of: number): number => of

const inOrder = (numbers: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...numbers].sort((one, other) => one - other)

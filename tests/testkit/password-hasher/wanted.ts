import assert from 'node:assert/strict'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { HashingRefused, PasswordHasher } from '../../../application/ports/password-hasher.ts'
import { ok, refused } from '../outcome.ts'
import type { Check } from '../password-hasher.ts'
import { hash, wantedWhile } from './steps.ts'

type Work = (hasher: PasswordHasher, wanted: () => boolean) => TaskEither<HashingRefused, unknown>

/** Nothing is done for an answer that nobody waits for, and whether anybody does is asked for all work alike. */
export const wantedCases = (check: Check): void => {
  for (const [what, workOn] of WORK) {
    check(`nothing is done when nobody waits: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      await refused(
        work(hasher, () => false),
        { _tag: 'Abandoned' },
      )
    })

    check(`whether anybody waits is asked each time it is run, and not before: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      let asked = 0
      const task = work(hasher, () => {
        asked += 1
        return true
      })
      await new Promise(setImmediate)
      assert.equal(asked, 0)
      await ok(task)
      const first = asked
      assert.ok(first > 0)
      await ok(task)
      assert.equal(asked, 2 * first)
    })
  }
}

const verifying =
  (record: Option<string>): Work =>
  (hasher, wanted) =>
    hasher.verify('correct horse', record, wantedWhile(wanted))

/** All the work there is, given a good record. */
const WORK: ReadonlyArray<readonly [what: string, workOn: (record: string) => Work]> = [
  ['hashing', () => (hasher, wanted) => hasher.hash('correct horse', wantedWhile(wanted))],
  ['verifying', (record) => verifying(some(record))],
  ['verifying without a record', () => verifying(none)],
  ['verifying with a record that cannot be read', () => verifying(some('unreadable'))],
]

import assert from 'node:assert/strict'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { ok, refused } from '../outcome.ts'
import type { Check } from '../password-hasher.ts'
import { hash, REQUEST } from './steps.ts'

type Work = (hasher: PasswordHasher, request: HashingRequest) => TaskEither<HashingRefused, unknown>

/** The signal decides whether a hash starts, and `onStart` tells when it does. Both hold for all kinds of hashes. */
export const signalCases = (check: Check): void => {
  for (const [what, workOn] of WORK) {
    check(`an aborted hash is skipped and does not start: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      let starts = 0
      const onStart = () => {
        starts += 1
      }
      await refused(work(hasher, { ...REQUEST, signal: AbortSignal.abort(), onStart }), { _tag: 'Abandoned' })
      assert.equal(starts, 0)
    })

    check(`the signal is read each time the hash is run, and not before: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      const [early, late] = [new AbortController(), new AbortController()]
      const abortedBefore = work(hasher, { ...REQUEST, signal: early.signal })
      early.abort()
      await refused(abortedBefore, { _tag: 'Abandoned' })
      const abortedBetween = work(hasher, { ...REQUEST, signal: late.signal })
      await ok(abortedBetween)
      late.abort()
      await refused(abortedBetween, { _tag: 'Abandoned' })
    })

    check(`a hash that has started runs to its end: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      const controller = new AbortController()
      await ok(work(hasher, { ...REQUEST, signal: controller.signal, onStart: () => controller.abort() }))
      assert.ok(controller.signal.aborted)
    })

    check(`onStart is called once each time the hash is run, and not before: ${what}`, async (hasher) => {
      const work = workOn(await hash(hasher, 'correct horse'))
      let starts = 0
      const onStart = () => {
        starts += 1
      }
      const task = work(hasher, { ...REQUEST, onStart })
      await new Promise(setImmediate)
      assert.equal(starts, 0)
      await ok(task)
      assert.equal(starts, 1)
      await ok(task)
      assert.equal(starts, 2)
    })
  }
}

const verifying =
  (record: Option<string>): Work =>
  (hasher, request) =>
    hasher.verify('correct horse', record, request)

/** All kinds of hashes, given a good record. */
const WORK: ReadonlyArray<readonly [what: string, workOn: (record: string) => Work]> = [
  ['hashing', () => (hasher, request) => hasher.hash('correct horse', request)],
  ['verifying', (record) => verifying(some(record))],
  ['verifying without a record', () => verifying(none)],
  ['verifying with a record that cannot be read', () => verifying(some('unreadable'))],
]

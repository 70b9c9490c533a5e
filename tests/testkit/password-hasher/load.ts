import assert from 'node:assert/strict'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type {
  HashingRefused,
  HashingRequest,
  HashingShare,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { ok } from '../outcome.ts'
import type { Check } from '../password-hasher.ts'
import { hash, isOverloaded, REQUEST, verify } from './steps.ts'

/** A waiting hash starts when its turn comes, unless it is aborted by then. */
export const oneAtATimeCases = (check: Check): void => {
  check('a hash that is aborted while it waits is skipped', async (hasher) => {
    const controller = new AbortController()
    const first = hasher.hash('first', REQUEST)()
    const request = { ...REQUEST, signal: controller.signal }
    const aborted = [hasher.hash('second', request)(), hasher.verify('third', none, request)()]
    const last = hasher.verify('last', none, REQUEST)()
    controller.abort()
    assert.ok(isRight(await first))
    for (const outcome of aborted)
      assert.deepEqual(await outcome, { _tag: 'Left', left: { _tag: 'Abandoned' } })
    assert.deepEqual(await last, { _tag: 'Right', right: false })
  })

  for (const [who, many, one] of [
    ['a share with one hash', ['many'], ['few']],
    ['a part of a share with one hash', ['one', 'many'], ['one', 'few']],
  ] satisfies ReadonlyArray<readonly [string, HashingShare, HashingShare]>) {
    check(`${who} does not wait behind all of another’s`, async (hasher) => {
      const begun: Array<HashingShare> = []
      const asking = (share: HashingShare): HashingRequest => ({ onStart: () => begun.push(share), share })
      const hashes = Array.from({ length: 20 }, () => hasher.hash('correct horse', asking(many))())
      for (const outcome of await Promise.all([hasher.hash('battery staple', asking(one))(), ...hashes]))
        assert.ok(isRight(outcome))
      // One of the others may have begun already, and another one may be next.
      const position = begun.indexOf(one) + 1
      const promise = 'the only hash of its share starts as one of the first three of 21'
      assert.equal(position <= 3 ? promise : `it started as number ${position} of 21`, promise)
    })
  }

  check('all waiting hashes are answered', async (hasher) => {
    const records = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ok(hasher.hash(`password ${index}`, REQUEST))),
    )
    assert.equal(new Set(records).size, 20)
  })
}

/** What would wait too long is refused at once, and nothing else suffers from it. */
export const refusingCases = (check: Check): void => {
  for (const [work, ask] of WORK) {
    check(`a ${work} that would wait too long is refused, with the time to wait`, async (hasher) => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask(hasher)()))
      assert.ok(outcomes.some(isRight))
      const refusals = outcomes.filter(isLeft).map(({ left }) => left)
      assert.ok(refusals.length > 0 && refusals.every(isOverloaded))
    })
  }

  check('after a refusal there is room again', async (hasher) => {
    await Promise.all(Array.from({ length: 20 }, () => hasher.hash('correct horse', REQUEST)()))
    assert.equal(await verify(hasher, 'correct horse', await hash(hasher, 'correct horse')), true)
  })
}

type Ask = (hasher: PasswordHasher) => TaskEither<HashingRefused, unknown>

const WORK: ReadonlyArray<readonly [work: string, ask: Ask]> = [
  ['hash', (hasher) => hasher.hash('correct horse', REQUEST)],
  ['verify', (hasher) => hasher.verify('correct horse', none, REQUEST)],
]

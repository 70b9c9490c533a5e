import { expect } from 'chai'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { consecutive, countAttempt, type Failures, refundAttempt } from '../../domain/throttle.ts'
import { SEED, withoutIo } from './no-io.ts'

const NOW = 1_800_000_000_000
const SECOND = 1000

type Attempt = { readonly at: number; isMade: boolean }

/** Time passes, some attempts start concurrently, or one of those that passed is refunded. */
type Step = Readonly<
  { act: 'wait'; ms: number } | { act: 'try'; times: number } | { act: 'refund'; which: number }
>

/** Less than a day in total, so that no failure is forgotten. */
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('wait' as const),
      ms: fc.oneof(
        fc.constantFrom(...[0, 30, 60, 120, 240, 480, 900].map((seconds) => seconds * SECOND)),
        fc.nat(900 * SECOND),
      ),
    }),
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('try' as const), times: fc.integer({ min: 1, max: 5 }) }),
    },
    fc.record({ act: fc.constant('refund' as const), which: fc.nat(40) }),
  ),
  { maxLength: 80 },
)

/** Returns the most attempts that can pass within this time, without refunds. */
const mostWithin = (limit: number, ms: number): number => {
  let count = limit
  for (let at = 30 * SECOND; at <= ms; at += Math.min(30 * SECOND * 2 ** (count - limit), 900 * SECOND))
    count += 1
  return count
}

const attemptsOf = (limit: number, tried: ReadonlyArray<Step>): ReadonlyArray<Attempt> => {
  const rule = consecutive(limit)
  const attempts: Array<Attempt> = []
  let now = NOW
  let known: Option<Failures> = none
  const tryOnce = () => {
    const counted = countAttempt(rule, known, now)
    if (!isRight(counted)) return
    known = some(counted.right)
    attempts.push({ at: now, isMade: true })
  }
  const refund = (which: number) => {
    const inFlight = attempts.filter(({ isMade }) => isMade)
    const one = inFlight[which % inFlight.length]
    if (one === undefined) return
    one.isMade = false
    known = refundAttempt(rule, known, now)
  }
  for (const step of tried) {
    if (step.act === 'wait') now += step.ms
    else if (step.act === 'refund') refund(step.which)
    else for (let time = 1; time <= step.times; time += 1) tryOnce()
  }
  return attempts
}

describe('concurrent attempts that end in another order', () => {
  withoutIo()

  it('never exceed the number of sequential attempts, for any refunds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (limit, tried) => {
        const attempts = attemptsOf(limit, tried)
        const made = attempts.filter(({ isMade }) => isMade)
        const begun = attempts[0]?.at ?? NOW
        for (const [index, { at }] of made.entries())
          expect(index + 1).to.be.at.most(mostWithin(limit, at - begun))
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  it('reach that number: the limit at once, and one more after each wait', () => {
    const waits = [30, 60, 120, 240, 480, 900].map((seconds) => seconds * SECOND)
    const tried = waits.flatMap(
      (ms): ReadonlyArray<Step> => [
        { act: 'try', times: 5 },
        { act: 'wait', ms },
      ],
    )
    const made = attemptsOf(3, tried)
    expect(made.length).to.equal(3 + 5)
    expect(mostWithin(3, (made.at(-1)?.at ?? 0) - NOW)).to.equal(3 + 5)
  })
})

describe('a correction of the clock', () => {
  withoutIo()

  const LIMIT = 3
  const rule = consecutive(LIMIT)

  /** Returns the state after this number of failures, each as early as possible. */
  const failed = (times: number): Readonly<{ known: Option<Failures>; at: number }> => {
    let [known, now, at]: [Option<Failures>, number, number] = [none, NOW, NOW]
    for (let time = 1; time <= times; time += 1) {
      const counted = countAttempt(rule, known, now)
      if (!isRight(counted)) throw new Error('too early')
      known = some(counted.right)
      at = now
      now = Math.max(now, counted.right.refusedUntil)
    }
    return { known, at }
  }

  for (const times of [1, 2, 3, 4, 7, 8, 9, 20]) {
    for (const seconds of [0.001, 1, 60]) {
      it(`by ${seconds} seconds does not forget ${times} failures`, () => {
        const { known, at } = failed(times)
        const now = at - seconds * SECOND
        const counted = countAttempt(rule, known, now)
        if (times < LIMIT) expect(isRight(counted) && counted.right.count).to.equal(times + 1)
        else expect(isRight(counted), 'let through').to.equal(false)
      })
    }
  }
})

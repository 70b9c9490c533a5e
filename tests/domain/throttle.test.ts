import { expect } from 'chai'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  consecutive,
  countAttempt,
  type Failures,
  perQuarterHour,
  refundAttempt,
  type ThrottleRule,
} from '../../domain/throttle.ts'
import { SEED, withoutIo } from './no-io.ts'

const NOW = 1_800_000_000_000
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Somebody who fails again and again, under one rule. */
const culprit = (rule: ThrottleRule, start = NOW) => {
  let now = start
  let known: Option<Failures> = none
  const culprit = {
    /** Lets time pass, and says how long the next attempt is refused: 0 when it was let through. */
    failsAfter: (ms: number): number => {
      now += ms
      const judged = countAttempt(rule, known, now)
      if (isRight(judged)) known = some(judged.right)
      return isLeft(judged) ? judged.left.retryAfterMs : 0
    },
    takesBack: () => {
      known = refundAttempt(rule, known, now)
    },
    fails: (times: number) => Array.from({ length: times }, () => culprit.failsAfter(0)),
    known: () => known,
  }
  return culprit
}

describe('failures in a row', () => {
  withoutIo()

  it('are let through up to the limit, and the next has to wait for 30 seconds', () => {
    expect(culprit(consecutive(3)).fails(5)).to.deep.equal([0, 0, 0, 30 * SECOND, 30 * SECOND])
  })

  it('make one wait twice as long after each, and 15 minutes at most', () => {
    const { failsAfter } = culprit(consecutive(1))
    expect(failsAfter(0)).to.equal(0)
    for (const seconds of [30, 60, 120, 240, 480, 900, 900, 900]) {
      expect(failsAfter(0)).to.equal(seconds * SECOND)
      expect(failsAfter(seconds * SECOND - 1)).to.equal(1)
      expect(failsAfter(1)).to.equal(0)
    }
  })

  it('neither count nor extend the wait while they are refused', () => {
    const { failsAfter, known, fails } = culprit(consecutive(1))
    failsAfter(0)
    const before = known()
    fails(1_000)
    expect(known()).to.deep.equal(before)
    expect(failsAfter(30 * SECOND)).to.equal(0)
    expect(failsAfter(0)).to.equal(60 * SECOND)
  })

  it('are one row for as long as less than a day lies between two', () => {
    const { failsAfter } = culprit(consecutive(2))
    failsAfter(0)
    expect(failsAfter(24 * HOUR - 1)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('are forgotten after a day, which begins when the wait is over', () => {
    const { failsAfter, fails } = culprit(consecutive(2))
    fails(2)
    expect(failsAfter(30 * SECOND + 24 * HOUR)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('are one fewer, and the wait is over, when the last attempt was not made after all', () => {
    const { takesBack, fails } = culprit(consecutive(2))
    expect(fails(3)).to.deep.equal([0, 0, 30 * SECOND])
    takesBack()
    expect(fails(2)).to.deep.equal([0, 30 * SECOND])
  })

  it('are none when the only attempt was not made after all', () => {
    const { takesBack, failsAfter, known } = culprit(consecutive(2))
    takesBack()
    failsAfter(0)
    takesBack()
    expect(known()).to.deep.equal(none)
  })

  for (const [what, ms] of [
    ['an hour', HOUR],
    ['ten years', 87_600 * HOUR],
  ] as const) {
    it(`do not refuse anybody for long when the clock had been ${what} ahead`, () => {
      const { failsAfter } = culprit(consecutive(1))
      failsAfter(0)
      expect(failsAfter(-ms)).to.equal(0)
      expect(failsAfter(0)).to.equal(30 * SECOND)
    })
  }

  it('below the limit refuse nobody, whatever becomes of the clock', () => {
    const { failsAfter } = culprit(consecutive(1_000))
    for (const ms of [0, -1, -MINUTE, HOUR, -HOUR, 0]) expect(failsAfter(ms)).to.equal(0)
  })
})

describe('failures within a quarter of an hour', () => {
  withoutIo()

  it('are forgotten together, 15 minutes after the first', () => {
    const { failsAfter } = culprit(perQuarterHour(3))
    failsAfter(0)
    failsAfter(10 * MINUTE)
    expect(failsAfter(5 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('are remembered longer by whoever goes on beyond the limit', () => {
    const { failsAfter, fails } = culprit(perQuarterHour(2))
    fails(2)
    expect(failsAfter(30 * SECOND)).to.equal(0)
    expect(failsAfter(60 * SECOND + 14 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(120 * SECOND)
    expect(failsAfter(120 * SECOND + 15 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
  })
})

describe('whatever somebody tries', () => {
  withoutIo()

  type Step = Readonly<{ ms: number; isMade: boolean }>
  /** Less than a day of it, so that nothing is forgotten. */
  const steps = fc.array(
    fc.record({ ms: fc.oneof(fc.constant(0), fc.nat(5 * MINUTE)), isMade: fc.boolean() }),
    { maxLength: 200 },
  )
  const limits = fc.integer({ min: 1, max: 20 })

  it('what is made beyond the limit lies behind a wait that doubles, however often attempts are taken back', () => {
    fc.assert(
      fc.property(limits, steps, (limit, tried: ReadonlyArray<Step>) => {
        const one = culprit(consecutive(limit))
        const made: Array<number> = []
        let now = 0
        for (const { ms, isMade } of tried) {
          now += ms
          if (one.failsAfter(ms) > 0) continue
          if (isMade) made.push(now)
          else one.takesBack()
        }
        for (let last = limit; last < made.length; last += 1) {
          const wait = Math.min(30 * SECOND * 2 ** (last - limit), 15 * MINUTE)
          expect((made[last] ?? 0) - (made[last - 1] ?? 0)).to.be.at.least(wait)
        }
      }),
      { seed: SEED },
    )
  })

  it('nobody is refused for good: whoever comes after Retry-After is let through', () => {
    fc.assert(
      fc.property(limits, steps, (limit, tried: ReadonlyArray<Step>) => {
        const one = culprit(consecutive(limit))
        for (const { ms } of tried) {
          const refusedFor = one.failsAfter(ms)
          if (refusedFor > 0) expect(one.failsAfter(refusedFor)).to.equal(0)
        }
      }),
      { seed: SEED },
    )
  })
})

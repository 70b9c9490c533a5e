import { expect } from 'chai'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import {
  consecutive,
  countAttempt,
  type Failures,
  perHour,
  perMinute,
  perQuarterHour,
  refundAttempt,
  type ThrottleRule,
} from '../../domain/throttle.ts'
import { SEED, withoutIo } from './no-io.ts'

const NOW = 1_800_000_000_000
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A client that fails again and again, under one rule. */
const client = (rule: ThrottleRule, start = NOW) => {
  let now = start
  let known: Option<Failures> = none
  const client = {
    /** Lets time pass, makes an attempt, and returns how long it must wait: 0 if it passed. */
    failsAfter: (ms: number): number => {
      now += ms
      const counted = countAttempt(rule, known, now)
      if (isRight(counted)) known = some(counted.right)
      return isLeft(counted) ? counted.left.retryAfterMs : 0
    },
    refunds: () => {
      known = refundAttempt(rule, known, now)
    },
    fails: (times: number) => Array.from({ length: times }, () => client.failsAfter(0)),
    known: () => known,
  }
  return client
}

describe('failures in a row', () => {
  withoutIo()

  it('pass up to the limit, and the next waits 30 seconds', () => {
    expect(client(consecutive(3)).fails(5)).to.deep.equal([0, 0, 0, 30 * SECOND, 30 * SECOND])
  })

  it('double the wait each time, up to 15 minutes', () => {
    const { failsAfter } = client(consecutive(1))
    expect(failsAfter(0)).to.equal(0)
    for (const seconds of [30, 60, 120, 240, 480, 900, 900, 900]) {
      expect(failsAfter(0)).to.equal(seconds * SECOND)
      expect(failsAfter(seconds * SECOND - 1)).to.equal(1)
      expect(failsAfter(1)).to.equal(0)
    }
  })

  it('neither count nor extend the wait while they are refused', () => {
    const { failsAfter, known, fails } = client(consecutive(1))
    failsAfter(0)
    const before = known()
    fails(1_000)
    expect(known()).to.deep.equal(before)
    expect(failsAfter(30 * SECOND)).to.equal(0)
    expect(failsAfter(0)).to.equal(60 * SECOND)
  })

  it('are consecutive while less than a day lies between two', () => {
    const { failsAfter } = client(consecutive(2))
    failsAfter(0)
    expect(failsAfter(24 * HOUR - 1)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('are forgotten after a day, which begins when the wait is over', () => {
    const { failsAfter, fails } = client(consecutive(2))
    fails(2)
    expect(failsAfter(30 * SECOND + 24 * HOUR)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('are one fewer, and the wait is over, when the last attempt is refunded', () => {
    const { refunds, fails } = client(consecutive(2))
    expect(fails(3)).to.deep.equal([0, 0, 30 * SECOND])
    refunds()
    expect(fails(2)).to.deep.equal([0, 30 * SECOND])
  })

  it('are none when the only attempt is refunded', () => {
    const { refunds, failsAfter, known } = client(consecutive(2))
    refunds()
    failsAfter(0)
    refunds()
    expect(known()).to.deep.equal(none)
  })

  for (const [what, ms] of [
    ['an hour', HOUR],
    ['ten years', 87_600 * HOUR],
  ] as const) {
    it(`do not refuse attempts for long when the clock had been ${what} ahead`, () => {
      const { failsAfter } = client(consecutive(1))
      failsAfter(0)
      expect(failsAfter(-ms)).to.equal(0)
      expect(failsAfter(0)).to.equal(30 * SECOND)
    })
  }

  it('below the limit never cause a refusal, for any jumps of the clock', () => {
    const { failsAfter } = client(consecutive(1_000))
    for (const ms of [0, -1, -MINUTE, HOUR, -HOUR, 0]) expect(failsAfter(ms)).to.equal(0)
  })
})

describe('failures within a quarter of an hour', () => {
  withoutIo()

  it('are forgotten together, 15 minutes after the first', () => {
    const { failsAfter } = client(perQuarterHour(3))
    failsAfter(0)
    failsAfter(10 * MINUTE)
    expect(failsAfter(5 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
    expect(failsAfter(0)).to.equal(30 * SECOND)
  })

  it('count longer for a client that continues beyond the limit', () => {
    const { failsAfter, fails } = client(perQuarterHour(2))
    fails(2)
    expect(failsAfter(30 * SECOND)).to.equal(0)
    expect(failsAfter(60 * SECOND + 14 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(120 * SECOND)
    expect(failsAfter(120 * SECOND + 15 * MINUTE)).to.equal(0)
    expect(failsAfter(0)).to.equal(0)
  })
})

describe('attempts within a minute', () => {
  withoutIo()

  const TABLE: ReadonlyArray<readonly [what: string, limit: number, afterMs: number[], waitMs: number[]]> = [
    ['pass up to the limit', 3, [0, 0, 0], [0, 0, 0]],
    ['beyond it wait until the minute is over', 2, [0, 10_000, 0, 49_999], [0, 0, 50_000, 1]],
    ['pass again in the next minute', 2, [0, 10_000, 50_000, 0, 0], [0, 0, 0, 0, 60_000]],
    ['wait no longer if they continue', 1, [0, 1, 1, 59_998, 0], [0, 59_999, 59_998, 0, 60_000]],
    ['begin the minute with the first one', 2, [0, 59_999, 1, 0], [0, 0, 0, 0]],
    ['count again after a pause of any length', 1, [0, HOUR, 0], [0, 0, 60_000]],
    ['pass after a clock that was five minutes ahead', 1, [0, -5 * MINUTE, 0], [0, 0, 60_000]],
    ['pass after a clock that was an hour ahead', 1, [0, -HOUR, 0], [0, 0, 60_000]],
    ['still count after a small correction of the clock', 1, [0, -SECOND], [0, 61_000]],
  ]
  for (const [what, limit, afterMs, waitMs] of TABLE) {
    it(what, () => {
      const { failsAfter } = client(perMinute(limit))
      expect(afterMs.map(failsAfter)).to.deep.equal(waitMs)
    })
  }

  it('do not count if they are refunded, and the wait is over', () => {
    const { fails, refunds } = client(perMinute(2))
    expect(fails(3)).to.deep.equal([0, 0, MINUTE])
    refunds()
    expect(fails(2)).to.deep.equal([0, MINUTE])
  })

  it('never exceed the limit, in any minute that begins with a first one', () => {
    const waits = fc.array(fc.oneof(fc.constant(0), fc.nat(2 * MINUTE)), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), waits, (limit, all) => {
        const { failsAfter } = client(perMinute(limit))
        let [now, begin, passed] = [0, Number.NEGATIVE_INFINITY, 0]
        for (const ms of all) {
          now += ms
          if (now >= begin + MINUTE) [begin, passed] = [now, 0]
          const waits = failsAfter(ms)
          expect(waits).to.equal(passed < limit ? 0 : begin + MINUTE - now)
          if (waits === 0) passed += 1
        }
      }),
      { seed: SEED },
    )
  })
})

describe('attempts within an hour', () => {
  withoutIo()

  const TABLE: ReadonlyArray<readonly [what: string, limit: number, afterMs: number[], waitMs: number[]]> = [
    ['pass up to the limit', 5, [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    ['beyond it wait until the hour is over', 2, [0, MINUTE, 0, MINUTE], [0, 0, 59 * MINUTE, 58 * MINUTE]],
    ['pass again in the next hour', 2, [0, 0, HOUR, 0, 0], [0, 0, 0, 0, HOUR]],
    ['wait no longer if they continue', 1, [0, MINUTE, 59 * MINUTE - 1, 1], [0, 59 * MINUTE, 1, 0]],
    ['still count after a small correction of the clock', 1, [0, -SECOND], [0, HOUR + SECOND]],
    ['pass after a clock that was two minutes ahead', 1, [0, -2 * MINUTE, 0], [0, 0, HOUR]],
  ]
  for (const [what, limit, afterMs, waitMs] of TABLE) {
    it(what, () => {
      const { failsAfter } = client(perHour(limit))
      expect(afterMs.map(failsAfter)).to.deep.equal(waitMs)
    })
  }

  it('do not count if they are refunded', () => {
    const { fails, refunds } = client(perHour(2))
    fails(2)
    refunds()
    expect(fails(2)).to.deep.equal([0, HOUR])
  })
})

describe('attempts in any order', () => {
  withoutIo()

  type Step = Readonly<{ ms: number; isMade: boolean }>
  /** Less than a day in total, so that no failure is forgotten. */
  const steps = fc.array(
    fc.record({ ms: fc.oneof(fc.constant(0), fc.nat(5 * MINUTE)), isMade: fc.boolean() }),
    { maxLength: 200 },
  )
  const limits = fc.integer({ min: 1, max: 20 })

  it('each one beyond the limit doubles the wait, for any number of refunds', () => {
    fc.assert(
      fc.property(limits, steps, (limit, tried: ReadonlyArray<Step>) => {
        const one = client(consecutive(limit))
        const made: Array<number> = []
        let now = 0
        for (const { ms, isMade } of tried) {
          now += ms
          if (one.failsAfter(ms) > 0) continue
          if (isMade) made.push(now)
          else one.refunds()
        }
        for (let last = limit; last < made.length; last += 1) {
          const wait = Math.min(30 * SECOND * 2 ** (last - limit), 15 * MINUTE)
          expect((made[last] ?? 0) - (made[last - 1] ?? 0)).to.be.at.least(wait)
        }
      }),
      { seed: SEED },
    )
  })

  it('the first one after Retry-After always passes', () => {
    fc.assert(
      fc.property(limits, steps, (limit, tried: ReadonlyArray<Step>) => {
        const one = client(consecutive(limit))
        for (const { ms } of tried) {
          const refusedFor = one.failsAfter(ms)
          if (refusedFor > 0) expect(one.failsAfter(refusedFor)).to.equal(0)
        }
      }),
      { seed: SEED },
    )
  })
})

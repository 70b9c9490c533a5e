import { expect } from 'chai'
import fc from 'fast-check'
import { isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { countAttempt, endPause, type Failures, refundAttempt, WRONG_TOTP } from '../../domain/throttle.ts'
import { SEED, withoutIo } from './no-io.ts'

const NOW = 1_800_000_000_000
const SECOND = 1000
const DAY = 86_400 * SECOND
const LAST_TIME = 8.64e15

/** A user who enters wrong codes. */
const user = () => {
  let now = NOW
  let known: Option<Failures> = none
  const user = {
    /** Lets time pass, enters a wrong code, and returns how long it must wait: 0 if it was examined. */
    failsAfter: (ms: number): number => {
      now += ms
      const counted = countAttempt(WRONG_TOTP, known, now)
      if (isRight(counted)) known = some(counted.right)
      return isLeft(counted) ? counted.left.retryAfterMs : 0
    },
    /** Enters wrong codes as soon as possible, and returns the time that passed. */
    fails: (times: number): number => {
      const begin = now
      for (let each = 0; each < times; each += 1) {
        const waitMs = user.failsAfter(0)
        if (waitMs > 0) user.failsAfter(waitMs)
      }
      return now - begin
    },
    refunds: () => {
      known = refundAttempt(WRONG_TOTP, known, now)
    },
    recovers: () => {
      known = endPause(WRONG_TOTP, known, now)
    },
    known: () => known,
    refusal: (ms = 0) => countAttempt(WRONG_TOTP, known, now + ms),
  }
  return user
}

describe('wrong codes of an authenticator app in a row', () => {
  withoutIo()

  it('pause after the fifth for 30 seconds, then twice as long each time, up to a day', () => {
    const { failsAfter } = user()
    for (let each = 0; each < 5; each += 1) expect(failsAfter(0)).to.equal(0)
    const seconds = [...Array.from({ length: 12 }, (_, index) => 30 * 2 ** index), 86_400, 86_400, 86_400]
    for (const wait of seconds) {
      expect(failsAfter(0)).to.equal(wait * SECOND)
      expect(failsAfter(wait * SECOND - 1)).to.equal(1)
      expect(failsAfter(1)).to.equal(0)
    }
  })

  it('are at most 16 in the day between two successes (docs/threat-model.md)', () => {
    expect(user().fails(16)).to.be.below(DAY)
    expect(user().fails(17)).to.be.above(DAY)
  })

  it('count for 30 days after the last', () => {
    const one = user()
    for (let each = 0; each < 4; each += 1) one.failsAfter(0)
    expect(one.failsAfter(30 * DAY - 1)).to.equal(0)
    expect(one.failsAfter(0)).to.equal(30 * SECOND)
    expect(one.failsAfter(30 * SECOND + 30 * DAY)).to.equal(0)
    expect(one.failsAfter(0)).to.equal(0)
  })

  it('are refused after the hundredth, however long the user waits', () => {
    const one = user()
    expect(one.fails(100)).to.be.greaterThan(80 * DAY)
    const refused = left({ retryAfterMs: DAY, isUntilCleared: true })
    for (const ms of [0, DAY, 31 * DAY, 100 * 365 * DAY, -DAY, -100 * 365 * DAY])
      expect(one.refusal(ms)).to.deep.equal(refused)
    expect(one.known()).to.deep.equal(some({ count: 100, refusedUntil: LAST_TIME, forgottenFrom: LAST_TIME }))
  })

  it('are not refused for good after the ninety-ninth', () => {
    const one = user()
    one.fails(99)
    expect(one.refusal()).to.deep.equal(left({ retryAfterMs: DAY, isUntilCleared: false }))
    expect(isRight(one.refusal(DAY))).to.equal(true)
  })

  it('are 99 that end after 30 days if the hundredth is taken back', () => {
    const one = user()
    one.fails(100)
    one.refunds()
    expect(isRight(one.refusal())).to.equal(true)
    const known = one.known()
    expect(known._tag === 'Some' && known.value.count).to.equal(99)
    const ends = (known._tag === 'Some' && known.value.forgottenFrom) || 0
    expect(one.failsAfter(30 * DAY - 1)).to.equal(0)
    expect(one.refusal()).to.deep.equal(left({ retryAfterMs: DAY, isUntilCleared: true }))
    const tooLate = countAttempt(WRONG_TOTP, known, ends)
    expect(isRight(tooLate) && tooLate.right.count).to.equal(1)
  })

  it('no longer pause after a recovery, and the next one pauses twice as long', () => {
    const one = user()
    one.fails(5)
    one.recovers()
    expect(one.failsAfter(0)).to.equal(0)
    expect(one.failsAfter(0)).to.equal(60 * SECOND)
    one.recovers()
    expect(one.failsAfter(30 * DAY + 60 * SECOND)).to.equal(0)
    expect(one.known()._tag === 'Some' && one.refusal()._tag, 'forgotten after 30 days').to.equal('Right')
  })

  it('are a hundred between two recoveries that clear the count', () => {
    const one = user()
    for (let each = 0; each < 100; each += 1) {
      expect(one.failsAfter(0)).to.equal(0)
      if (each < 99) one.recovers()
    }
    expect(one.refusal()).to.deep.equal(left({ retryAfterMs: DAY, isUntilCleared: true }))
    one.recovers()
    expect(one.known()).to.equal(none)
  })

  it('do not refuse for long when the clock had been a year ahead', () => {
    const one = user()
    one.fails(20)
    expect(one.failsAfter(-365 * DAY)).to.equal(0)
  })

  it('are never more than 100, for any times and any attempts that are taken back', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(2 * DAY), isMade: fc.boolean() }), { maxLength: 400 })
    fc.assert(
      fc.property(steps, (tried) => {
        const one = user()
        let made = 0
        for (const { ms, isMade } of tried) {
          if (one.failsAfter(ms) > 0) continue
          if (isMade) made += 1
          else one.refunds()
        }
        expect(made).to.be.at.most(100)
      }),
      { seed: SEED },
    )
  })
})

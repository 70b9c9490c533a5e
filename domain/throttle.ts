import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, map, none, type Option, some } from 'fp-ts/lib/Option.js'

/** The failures that count on one account, session or address. Times are milliseconds since the epoch. */
export type Failures = Readonly<{
  count: number
  /** Attempts before this time are refused. 0 without a pause, so that no change of the clock can refuse an attempt. */
  refusedUntil: number
  /** From this time on the failures no longer count. */
  forgottenFrom: number
}>

/** How many failures start a pause, and how long they count (docs/contract.md §1.9). */
export type ThrottleRule = Readonly<{
  /** After this number of failures the next attempt must wait. */
  failures: number
  memoryMs: number
  /** `memoryMs` counts from the last failure (`sliding`) or from the first one (`fixed`). */
  window: 'sliding' | 'fixed'
  /**
   * How long attempts are refused after the limit. `growing`: 30 seconds, twice as long after each further failure, up to
   * `longestPauseMs`. `rest`: until the end of the window, so that a window never has more than `failures` attempts.
   */
  pause: 'growing' | 'rest'
  longestPauseMs: number
  /** After this number of failures in a row, attempts are refused until the count is deleted. `Infinity`: never. */
  lastFailure: number
}>

const MINUTE_MS = 60_000
const QUARTER_HOUR_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Consecutive failures. A success resets the count, and so does a day without failures. */
export const consecutive = (failures: number): ThrottleRule => ({
  failures,
  memoryMs: DAY_MS,
  window: 'sliding',
  pause: 'growing',
  longestPauseMs: QUARTER_HOUR_MS,
  lastFailure: Number.POSITIVE_INFINITY,
})

/**
 * Wrong codes of an authenticator app in a row. A success resets the count, and so do 30 days without a failure.
 *
 * A code has six digits, and three codes of an app are right at a time. So all attempts in a row have a chance of 0.03 % per app
 * (NIST SP 800-63B-4 §3.2.2). Between two daily successes of the owner, 16 attempts fit, 0.005 %. A thief of the mailbox, who can recover
 * again and again, has 0.04 % a day (docs/threat-model.md).
 */
export const WRONG_TOTP: ThrottleRule = {
  failures: 5,
  memoryMs: 30 * DAY_MS,
  window: 'sliding',
  pause: 'growing',
  longestPauseMs: DAY_MS,
  lastFailure: 100,
}

/** Failures within a quarter of an hour. Successes do not reset the count. */
export const perQuarterHour = (failures: number): ThrottleRule => ({
  failures,
  memoryMs: QUARTER_HOUR_MS,
  window: 'fixed',
  pause: 'growing',
  longestPauseMs: QUARTER_HOUR_MS,
  lastFailure: Number.POSITIVE_INFINITY,
})

/** At most this many attempts within a minute that begins with the first one. They count whether they succeed or fail. */
export const perMinute = (attempts: number): ThrottleRule => within(MINUTE_MS, attempts)

/** The same within an hour. */
export const perHour = (attempts: number): ThrottleRule => within(HOUR_MS, attempts)

const within = (memoryMs: number, attempts: number): ThrottleRule => ({
  failures: attempts,
  memoryMs,
  window: 'fixed',
  pause: 'rest',
  longestPauseMs: memoryMs,
  lastFailure: Number.POSITIVE_INFINITY,
})

/**
 * Attempts are refused for this long. They do not count.
 *
 * `isUntilCleared`: attempts are refused until the count is deleted, after the last failure of the rule. `retryAfterMs` is then the
 * longest pause, because clients need some number, and the count may be deleted at any time.
 */
export type TooManyFailures = Readonly<{ retryAfterMs: number; isUntilCleared: boolean }>

/**
 * Counts one more attempt, or refuses it during a pause.
 *
 * An attempt counts as a failure before it begins, so that concurrent attempts cannot exceed the limit. After it, the caller
 * calls `refundAttempt` or deletes the count.
 *
 * The attempt that reaches the limit starts a pause. Attempts pass again after it, so no lock-out is permanent, unless the rule has a
 * last failure.
 */
export const countAttempt = (
  rule: ThrottleRule,
  known: Option<Failures>,
  now: number,
): Either<TooManyFailures, Failures> => {
  const before = counted(rule, known, now)
  if (isSome(before) && isUntilCleared(rule, before.value))
    return left({ retryAfterMs: rule.longestPauseMs, isUntilCleared: true })
  if (isSome(before) && now < before.value.refusedUntil)
    return left({ retryAfterMs: before.value.refusedUntil - now, isUntilCleared: false })
  const count = (isSome(before) ? before.value.count : 0) + 1
  const windowEnd =
    rule.window === 'fixed' && isSome(before) ? before.value.forgottenFrom : now + rule.memoryMs
  if (count >= rule.lastFailure) return right({ count, refusedUntil: NEVER, forgottenFrom: NEVER })
  if (count < rule.failures) return right({ count, refusedUntil: 0, forgottenFrom: windowEnd })
  if (rule.pause === 'rest') return right({ count, refusedUntil: windowEnd, forgottenFrom: windowEnd })
  const refusedUntil = now + pauseMs(rule, count)
  return right({ count, refusedUntil, forgottenFrom: refusedUntil + rule.memoryMs })
}

/** Takes back one attempt that was not made. A pause that it started is over. */
export const refundAttempt = (rule: ThrottleRule, known: Option<Failures>, now: number): Option<Failures> => {
  const before = counted(rule, known, now)
  if (isNone(before) || before.value.count <= 1) return none
  const { count, forgottenFrom } = before.value
  return some({
    count: count - 1,
    refusedUntil: 0,
    forgottenFrom: forgottenFrom === NEVER ? now + rule.memoryMs : forgottenFrom,
  })
}

/**
 * Ends a pause, and keeps the failures, so that the next one starts a longer pause. After the last failure of the rule it deletes the
 * count.
 */
export const endPause = (rule: ThrottleRule, known: Option<Failures>, now: number): Option<Failures> =>
  pipe(
    counted(rule, known, now),
    filter((failures) => !isUntilCleared(rule, failures)),
    map((failures) => ({ ...failures, refusedUntil: 0 })),
  )

const pauseMs = ({ failures, longestPauseMs }: ThrottleRule, count: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (count - failures), longestPauseMs)

const isUntilCleared = ({ lastFailure }: ThrottleRule, { count }: Failures): boolean => count >= lastFailure

/**
 * Returns the failures that still count.
 *
 * Times too far in the future come from a clock that was wrong. They do not count: the correction of the clock must not refuse
 * attempts for as long as it was ahead. After a small correction the failures still count.
 */
const counted = (rule: ThrottleRule, known: Option<Failures>, now: number): Option<Failures> => {
  const latestRefusedUntil = now + MAX_CLOCK_CORRECTION_MS + rule.longestPauseMs
  return pipe(
    known,
    filter(
      (failures) =>
        isUntilCleared(rule, failures) ||
        (now < failures.forgottenFrom &&
          failures.refusedUntil <= latestRefusedUntil &&
          failures.forgottenFrom <= latestRefusedUntil + rule.memoryMs),
    ),
  )
}

const MAX_CLOCK_CORRECTION_MS = 60_000
const FIRST_PAUSE_MS = 30_000

/** The last time of a `Date`. */
const NEVER = 8_640_000_000_000_000

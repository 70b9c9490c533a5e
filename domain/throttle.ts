import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { filter, isNone, isSome, none, type Option, some } from 'fp-ts/lib/Option.js'

/** What is remembered of somebody's failures. Times are milliseconds since the epoch. */
export type Failures = Readonly<{
  count: number
  /** Nothing more is tried before that; 0 as long as anything may be, whatever becomes of the clock. */
  refusedUntil: number
  /** From then on there were none. */
  forgottenFrom: number
}>

/** How many failures it takes, and how long they are remembered. */
export type ThrottleRule = Readonly<{
  /** After that many the next attempt has to wait. */
  failures: number
  memoryMs: number
  /** Whether each failure is remembered that long after the last one, or all of them after the first. */
  remembered: 'since the last' | 'since the first'
}>

/** Failures in a row: nothing but a success, or a day of silence, ends the row. */
export const consecutive = (failures: number): ThrottleRule => ({
  failures,
  memoryMs: DAY_MS,
  remembered: 'since the last',
})

/** Failures within a quarter of an hour, whoever else succeeds meanwhile. */
export const perQuarterHour = (failures: number): ThrottleRule => ({
  failures,
  memoryMs: LONGEST_PAUSE_MS,
  remembered: 'since the first',
})

const DAY_MS = 24 * 3600 * 1000
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 15 * 60_000

/** Nothing is tried for that long. Whoever comes earlier is not counted. */
export type TooManyFailures = Readonly<{ retryAfterMs: number }>

/**
 * One more attempt, counted as a failure before it begins, so that attempts in parallel get no further than the limit.
 * What is known of it when it has ended is told by `refunded`, or by forgetting all.
 *
 * The attempt that reaches the limit begins a pause of 30 seconds, and each one after it a pause twice as long, up to 15
 * minutes. After every pause one attempt is let through: nobody is ever locked out for good.
 */
export const attempted = (
  rule: ThrottleRule,
  known: Option<Failures>,
  now: number,
): Either<TooManyFailures, Failures> => {
  const before = remembered(rule, known, now)
  if (isSome(before) && now < before.value.refusedUntil)
    return left({ retryAfterMs: before.value.refusedUntil - now })
  const count = (isSome(before) ? before.value.count : 0) + 1
  const refusedUntil = count < rule.failures ? 0 : now + pauseMs(count - rule.failures)
  const keepsItsEnd = rule.remembered === 'since the first' && count < rule.failures && isSome(before)
  return right({
    count,
    refusedUntil,
    forgottenFrom: keepsItsEnd ? before.value.forgottenFrom : Math.max(now, refusedUntil) + rule.memoryMs,
  })
}

/** What is known once an attempt turns out never to have been made. A pause that it began is over. */
export const refunded = (rule: ThrottleRule, known: Option<Failures>, now: number): Option<Failures> => {
  const before = remembered(rule, known, now)
  if (isNone(before) || before.value.count <= 1) return none
  return some({ ...before.value, count: before.value.count - 1, refusedUntil: 0 })
}

const pauseMs = (beyond: number): number => Math.min(FIRST_PAUSE_MS * 2 ** beyond, LONGEST_PAUSE_MS)

/**
 * A clock that was far ahead and was set back must not refuse anybody until then: what no clock can have written is nothing. One
 * that is set right by a little must not let those through who have failed most often.
 */
const remembered = ({ memoryMs }: ThrottleRule, known: Option<Failures>, now: number): Option<Failures> => {
  const latestRefusedUntil = now + SET_RIGHT_AT_MOST_MS + LONGEST_PAUSE_MS
  return pipe(
    known,
    filter(
      ({ refusedUntil, forgottenFrom }) =>
        now < forgottenFrom &&
        refusedUntil <= latestRefusedUntil &&
        forgottenFrom <= latestRefusedUntil + memoryMs,
    ),
  )
}

const SET_RIGHT_AT_MOST_MS = 60_000

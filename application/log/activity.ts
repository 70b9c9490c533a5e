import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { EventType } from '../../domain/event.ts'
import type { RefusalType } from '../../domain/event-row.ts'
import type { RefusalReason } from '../../domain/refusal-reasons.ts'
import type { ModelTally } from '../ports/read-model.ts'
import { type CatchUpFailure, CONTENDED, catchUp, type ModelledLog, reaches } from './catch-up.ts'
import { ATTEMPTS } from './epochs.ts'

/** What happened in a time, by hour. Refusals count as often as the log counted them. */
export type Activity = Readonly<{
  /** Each hour of the time, also one in which nothing happened. */
  hours: ReadonlyArray<HourOfActivity>
  totals: Readonly<Record<ActivityKind, number>>
  /** Most frequent first. */
  refusals: ReadonlyArray<Readonly<{ type: RefusalType; reason: RefusalReason; count: number }>>
}>

/** `at` is the first millisecond of the hour since 1970. */
export type HourOfActivity = Readonly<{ at: number }> & Readonly<Record<ActivityKind, number>>

/** `signedIn` are also the new sessions: each sign-in opens one. `refused` are sign-ins and second steps. */
export type ActivityKind = 'signedIn' | 'refused' | 'registered' | 'tokens'

export const HOUR_MS = 3_600_000

/** Whole hours, in milliseconds since 1970. */
type Span = Readonly<{ since: number; until: number }>

/** Brings the read model to the end of the log, and returns what happened in a time. It writes nothing else. */
export const activityIn = async (log: ModelledLog, span: Span): Promise<Either<CatchUpFailure, Activity>> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const caught = await catchUp(log)()
    if (isLeft(caught)) return caught
    const tally = await log.model.tally(span)()
    if (isLeft(tally)) return tally
    const state = await log.model.state()()
    if (isLeft(state)) return state
    if (reaches(state.right, caught.right)) return right(activityOf(tally.right, span))
  }
  return left(CONTENDED)
}

/** Returns the activity that a tally counts. */
export const activityOf = ({ hours, reasons }: ModelTally, { since, until }: Span): Activity => {
  const counts = new Map<number, Record<ActivityKind, number>>()
  for (let at = since; at < until; at += HOUR_MS) counts.set(at, none())
  const totals = none()
  for (const { hour, type, count } of hours) {
    const kind = KINDS[type]
    const counted = counts.get(hour)
    if (kind === undefined || counted === undefined) continue
    counted[kind] += count
    totals[kind] += count
  }
  return {
    hours: [...counts].map(([at, counted]) => ({ at, ...counted })),
    totals,
    refusals: [...reasons].sort((one, other) => other.count - one.count),
  }
}

const none = (): Record<ActivityKind, number> => ({ signedIn: 0, refused: 0, registered: 0, tokens: 0 })

const KINDS: Readonly<Partial<Record<EventType, ActivityKind>>> = {
  UserSignedIn: 'signedIn',
  SignInRefused: 'refused',
  IdentityRefused: 'refused',
  SecondFactorRefused: 'refused',
  UserRegistered: 'registered',
  UserImported: 'registered',
  ApplicationTokenIssued: 'tokens',
}

/** Returns the hour with the most of a kind; undefined if there were none. */
export const busiestHour = (
  { hours }: Pick<Activity, 'hours'>,
  kind: ActivityKind,
): HourOfActivity | undefined =>
  hours.reduce<HourOfActivity | undefined>(
    (most, hour) => (hour[kind] > (most?.[kind] ?? 0) ? hour : most),
    undefined,
  )

/**
 * Whether so many sign-ins were refused in an hour that an attacker may be guessing passwords: one a minute, and five times as many as in
 * the busiest hour of the time before. Users who mistype theirs cause few of them, and as many each day.
 */
export const mayBeGuessing = (activity: Activity, before: Activity): boolean => {
  const most = busiestHour(activity, 'refused')?.refused ?? 0
  return most >= 60 && most >= 5 * (busiestHour(before, 'refused')?.refused ?? 0)
}

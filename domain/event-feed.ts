import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { originOf, originPrefixOf } from './checkpoint.ts'
import type { EventType } from './event.ts'
import { combineFields, type Field, isPresent } from './field.ts'
import { type LogCursor, parseLogCursor } from './log-cursor.ts'

/** The problems behind the codes of docs/events-feed.md. */
export type FeedProblem = 'CursorMalformed' | 'LimitOutOfRange' | 'TypeUnknown' | 'WaitOutOfRange'

export type FeedRequest = Readonly<{ after: Field; limit: Field; type: Field; wait: Field }>

/** What to read: from the beginning without a cursor, and all types without a type. */
export type FeedQuery = Readonly<{
  after: LogCursor | undefined
  limit: number
  type: EventType | undefined
  /** How long to wait for the first entry. */
  waitSeconds: number
}>

/** The bounds of a request, and what it gets if it names nothing. */
export const FEED_LIMIT = { default: 100, least: 1, most: 500 } as const
export const FEED_WAIT_SECONDS = { default: 0, least: 0, most: 30 } as const

/** How many requests of an application wait for events, and how many of all others. */
export type WaitingRequests = Readonly<{ own: number; others: number }>

export const MOST_WAITERS = 100

/** Whether one more request of an application may wait. Its places then number at most half of those that the others leave free. */
export const mayWait = ({ own, others }: WaitingRequests): boolean => 2 * (own + 1) <= MOST_WAITERS - others

const combine = combineFields<FeedProblem>()

/** Returns the query of a request, or all problems of the request. Every field is optional. */
export const validateFeedRequest = (
  { after, limit, type, wait }: FeedRequest,
  isEventType: (text: string) => text is EventType,
): E.Either<NonEmptyArray<FeedProblem>, FeedQuery> =>
  combine({
    after: validateCursor(after),
    limit: validateNumber(limit, FEED_LIMIT, 'LimitOutOfRange'),
    type: !isPresent(type) ? E.right(undefined) : isEventType(type) ? E.right(type) : E.left(['TypeUnknown']),
    waitSeconds: validateWait(wait),
  })

/** How long a request asks to wait, in seconds; 0 if it is invalid. */
export const askedWaitSeconds = (wait: Field): number => E.getOrElse(() => 0)(validateWait(wait))

type Validated<A> = E.Either<NonEmptyArray<FeedProblem>, A>

const validateCursor = (after: Field): Validated<LogCursor | undefined> => {
  if (!isPresent(after)) return E.right(undefined)
  const cursor = parseLogCursor(after)
  return isNone(cursor) ? E.left(['CursorMalformed']) : E.right(cursor.value)
}

const validateWait = (wait: Field): Validated<number> =>
  validateNumber(wait, FEED_WAIT_SECONDS, 'WaitOutOfRange')

const validateNumber = (
  field: Field,
  bounds: Readonly<{ default: number; least: number; most: number }>,
  problem: FeedProblem,
): Validated<number> => {
  if (!isPresent(field)) return E.right(bounds.default)
  const number = /^\d{1,4}$/.test(field) ? Number(field) : Number.NaN
  return number >= bounds.least && number <= bounds.most ? E.right(number) : E.left([problem])
}

/** The URI of a log under the public URL. Within one source, positions order the events. */
export const feedSource = (publicUrl: string, epoch: string): string =>
  `${publicUrl.startsWith('https:') ? 'https' : 'http'}://${originOf(originPrefixOf(publicUrl), epoch)}`

/** A position as text: the order of such texts is the order of the positions. `parseLogCursor` reads it. */
export const sequenceOf = (position: number): string => String(position).padStart(POSITION_DIGITS, '0')

/** As many digits as a cursor may have. */
const POSITION_DIGITS = 15

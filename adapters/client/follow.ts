import { PortcullisUnavailable, refusedForNow, requestRefused } from './failures.ts'
import type { ReadFeedAnswer, ReadFeedInput, SearchUsersAnswer, SearchUsersInput } from './operations.ts'
import type { Refused, Result } from './results.ts'
import type { Time } from './time.ts'
import type { EventType, LogEntry } from './vocabulary.ts'

/** A user, as `searchUsers` lists it. */
export type ListedUser = SearchUsersAnswer['users'][number]

/** An event of the feed (docs/events-feed.md), and the cursor behind it. */
export type FeedEvent<Type extends EventType = EventType> = Omit<ReadFeedAnswer['items'][number], 'data'> &
  Readonly<{
    /** The entry of the log. */
    data: LogEntry<Type>
    cursor: string
  }>

/** Which users: all by default. */
export type UsersFilter = Omit<SearchUsersInput, 'after'>

export type EventsFilter<Type extends EventType = EventType> = Readonly<{
  /** The cursor of the last event that you have handled. Without it, the feed begins with the first event. */
  after?: string | undefined
  /** Only events of these types, such as `UserSignedIn`. */
  types?: ReadonlyArray<Type> | undefined
  /** Learns the cursor behind events that you have handled, and is awaited. It moves on even if no event has one of the types. */
  onCursor?: ((cursor: string) => unknown) | undefined
  /** Learns of an outage, in which the iterator waits and goes on. */
  onUnavailable?: ((error: PortcullisUnavailable) => void) | undefined
}>

export type PastEventsFilter<Type extends EventType = EventType> = Omit<EventsFilter<Type>, 'onUnavailable'>

/** Yields users, page by page. */
export async function* allUsers(
  search: (input: SearchUsersInput) => Promise<Result<SearchUsersAnswer>>,
  filter: UsersFilter,
): AsyncGenerator<ListedUser, void, undefined> {
  let after: string | undefined
  do {
    const page = await search({ ...filter, after })
    if (!page.ok) throw errorOf(page)
    yield* page.users
    after = page.next ?? undefined
  } while (after !== undefined)
}

/** The server waits so long for an event. */
export const WAIT_SECONDS = 30

/** The longest pause during an outage. */
const LONGEST_PAUSE_MS = 30_000

/** Yields events without end, in the order of the log. It goes on after outages. */
export async function* allEvents(
  read: (input: ReadFeedInput) => Promise<Result<ReadFeedAnswer>>,
  { after, types = [], onCursor, onUnavailable }: EventsFilter,
  pause: (ms: number) => Promise<void>,
  { elapsed }: Time,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedEvent, never, undefined> {
  let cursor = after
  let outages = 0
  // The service filters by one type. Several are filtered here.
  const type = types.length === 1 ? types[0] : undefined
  for (;;) {
    const startedAt = elapsed()
    let page: Result<ReadFeedAnswer>
    try {
      page = await read({ after: cursor, type, limit: PAGE, wait: WAIT_SECONDS })
    } catch (error) {
      if (!(error instanceof PortcullisUnavailable)) throw error
      onUnavailable?.(error)
      const told = (error.retryAfter ?? 0) * 1000
      await pause(Math.max(told, Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** outages)))
      outages += 1
      continue
    }
    if (!page.ok) {
      if (page.refusal !== 'throttled') throw errorOf(page)
      await pause(page.retryAfter * 1000)
      continue
    }
    outages = 0
    yield* eventsOf(page, types, signal)
    const hasMoved = page.next !== cursor
    cursor = page.next
    await onCursor?.(cursor)
    // A service that stops answers at once. Before the end of the log, a page without events is followed by the next.
    if (!hasMoved && elapsed() - startedAt < 1000) await pause(1000)
  }
}

/**
 * Yields events up to the newest one. It ends with the first page that is not full. With a type, the service may leave pages before the
 * newest event empty, so the types are filtered here.
 */
export async function* pastEvents(
  read: (input: ReadFeedInput) => Promise<Result<ReadFeedAnswer>>,
  { after, types = [], onCursor }: PastEventsFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedEvent, void, undefined> {
  for (let cursor = after, isFull = true; isFull; ) {
    const page = await read({ after: cursor, limit: PAGE })
    if (!page.ok) throw errorOf(page)
    yield* eventsOf(page, types, signal)
    cursor = page.next
    await onCursor?.(cursor)
    isFull = page.items.length === PAGE
  }
}

/** The most events of a page. */
const PAGE = 500

/** The events of these types on a page; all without any type. */
function* eventsOf(
  { items }: ReadFeedAnswer,
  types: NonNullable<EventsFilter['types']>,
  signal: AbortSignal | undefined,
): Generator<FeedEvent, void, undefined> {
  for (const event of items) {
    signal?.throwIfAborted()
    if (types.length === 0 || types.includes(event.data.type)) yield { ...event, cursor: cursorOf(event) }
  }
}

/** The epoch is at the end of `source`. */
const cursorOf = ({ source, data }: ReadFeedAnswer['items'][number]): string =>
  `${source.slice(source.lastIndexOf('/') + 1)}:${data.position}`

/** An iterator has no place for a refusal, so it throws. */
const errorOf = (refused: Refused): Error =>
  refused.refusal === 'throttled'
    ? refusedForNow(refused)
    : requestRefused(422, refused.problems[0].message, undefined)

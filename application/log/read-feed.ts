import { type Either, isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { EventType } from '../../domain/event.ts'
import {
  type FeedProblem,
  type FeedQuery,
  type FeedRequest,
  validateFeedRequest,
} from '../../domain/event-feed.ts'
import { type Invalid, invalid } from '../../domain/field.ts'
import type { OtherEpoch } from '../../domain/log-cursor.ts'
import type { Timer } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { LogTree } from '../ports/log-tree.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { isEventType } from '../recording/events/table.ts'
import { headOfLog } from '../recording/head-of-log.ts'
import type { RequestContext } from '../recording/recorder.ts'
import {
  type FindPosition,
  findPosition,
  inOneEpoch,
  type LogState,
  type ReadLogState,
  readLogState,
} from './epochs.ts'
import type { LogWaiters, Waiting } from './log-waiters.ts'
import type { BeyondEnd, LogPage } from './read-log.ts'

/** Reads a page of the log after a cursor, and may wait for its first entry (docs/events-feed.md). It changes nothing. */
export type ReadFeed = (
  context: Pick<RequestContext, 'signal'>,
  caller: ApplicationCaller,
  request: FeedRequest,
) => TE.TaskEither<Invalid<FeedProblem> | Overloaded | FeedFailure, FeedPage>

/** `last` is the position to continue after, also if no entry has the type. */
export type FeedPage = LogPage & Readonly<{ hasWaited: boolean }>

/** Entries behind the cursor were pruned, up to this position. */
export type EntriesPruned = Readonly<{ _tag: 'EntriesPruned'; through: number }>

type FeedFailure = OtherEpoch | BeyondEnd | EntriesPruned | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'readEpoch' | 'readEvents'> & Partial<LogTree>
  waiters: Pick<LogWaiters, 'wait'>
  timer: Timer
}>

type Log = Pick<Dependencies, 'store'> &
  Readonly<{
    find: FindPosition
    readState: ReadLogState
    /** What this process has read last. */
    known: { state?: LogState }
  }>

export const readFeed = (dependencies: Dependencies): ReadFeed => {
  const { store } = dependencies
  const log = { ...dependencies, find: findPosition(store), readState: readLogState(store), known: {} }
  return (context, { application }, request) =>
    pipe(
      validateFeedRequest(request, isEventType),
      mapLeft(invalid),
      TE.fromEither,
      TE.chainW((query) => readOrWait(log, query, { ...context, applicationId: application.id })),
    )
}

const readOrWait =
  (
    { waiters, timer, ...log }: Dependencies & Log,
    { waitSeconds, after, ...query }: FeedQuery,
    { signal, applicationId }: Pick<RequestContext, 'signal'> & Pick<Waiting, 'applicationId'>,
  ): TE.TaskEither<Overloaded | FeedFailure, FeedPage> =>
  async () => {
    const deadline = timer.now() + waitSeconds * 1000
    const first = await readPage(log, { ...query, after, most: MOST_SCANNED })
    if (isLeft(first)) return first
    const { from } = first.right
    let page = { ...first.right, hasWaited: false }
    while (page.entries.length === 0 && page.last - from < MOST_SCANNED) {
      const milliseconds = deadline - timer.now()
      if (milliseconds <= 0) break
      const waiting = waiters.wait({ applicationId, after: page.last, milliseconds, signal: signal?.() })
      if (waiting === undefined && !page.hasWaited) return left(TOO_MANY_WAIT)
      const woken = await waiting?.()
      page = { ...page, hasWaited: true }
      if (woken !== 'look') break
      const next = await readPage(log, {
        ...query,
        after: { epoch: page.epoch, position: page.last },
        most: MOST_SCANNED - (page.last - from),
      })
      if (isLeft(next)) return next
      page = { ...next.right, hasWaited: true }
    }
    return right(page)
  }

const TOO_MANY_WAIT: Overloaded = { _tag: 'Overloaded', retryAfterSeconds: 5 }

/** Positions that one answer covers at most, so that a request for a rare type takes a bounded time. */
export const MOST_SCANNED = 10_000

/** The entries of one look, and the position that it began after. */
type Look = LogPage & Readonly<{ from: number }>

/**
 * One look at the log. Positions have no gaps and appear in the order of the commits, so `last` skips none.
 *
 * The state is read after the entries, because entries may be pruned meanwhile. It is read before them, too, unless the cursor is of the
 * epoch that was read last.
 */
const readPage = async (
  { store, readState, find, known }: Log,
  { after, ...query }: Omit<FeedQuery, 'waitSeconds'> & Readonly<{ most: number }>,
): Promise<Either<FeedFailure, Look>> => {
  const isKnown = after !== undefined && after.epoch === known.state?.epoch
  const read = await inOneEpoch<FeedFailure, Omit<Look, 'epoch'>>(
    readState,
    async ({ epoch, pruned }) => {
      const position = after === undefined ? right(pruned) : await find(after, epoch)
      if (isLeft(position)) return position
      const found = await readAfter(store, { ...query, after: position.right })
      return isLeft(found) ? found : right({ ...found.right, from: position.right })
    },
    isKnown ? known.state : undefined,
  )
  if (isLeft(read)) return read
  const { found, after: state } = read.right
  known.state = state
  return found.from < state.pruned
    ? left({ _tag: 'EntriesPruned', through: state.pruned })
    : right({ epoch: state.epoch, ...found })
}

/** `most`: how many positions are searched for a type. */
type Scan = Readonly<{ after: number; limit: number; type: EventType | undefined; most: number }>

const readAfter = async (
  store: Log['store'],
  { after, limit, type, most }: Scan,
): Promise<Either<BeyondEnd | StoreUnavailable, Pick<LogPage, 'entries' | 'last'>>> => {
  const through = type === undefined ? right(undefined) : await endOfScan(store, after, most)()
  if (isLeft(through)) return through
  const found = await store.readEvents({
    after,
    limit,
    ...(through.right === undefined ? {} : { through: through.right }),
    ...(type === undefined ? {} : { type }),
  })()
  if (isLeft(found)) return found
  const last = lastOf(found.right, limit) ?? through.right ?? found.right.at(-1)?.position ?? after
  if (last > after || after === 0) return right({ entries: found.right, last })
  const atCursor = await store.readEvents({ after: after - 1, limit: 1 })()
  if (isLeft(atCursor)) return atCursor
  return atCursor.right.length === 0 ? left({ _tag: 'BeyondEnd' }) : right({ entries: [], last })
}

/** The position of the last entry of a full page: more may follow it directly. */
const lastOf = (entries: ReadonlyArray<LogEntry>, limit: number): number | undefined =>
  entries.length < limit ? undefined : entries.at(-1)?.position

/** The last position to search for a type. All entries up to it exist, so that none appears there after the search. */
const endOfScan = (
  store: Pick<Store, 'readEvents'>,
  after: number,
  most: number,
): TE.TaskEither<StoreUnavailable, number> =>
  pipe(
    store.readEvents({ after: after + most - 1, limit: 1 }),
    TE.chain((behind) => (behind.length > 0 ? TE.right(after + most) : headOfLog(store, after))),
    TE.map((end) => Math.min(end, after + most)),
  )

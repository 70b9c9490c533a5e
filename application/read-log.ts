import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventType } from '../domain/event.ts'
import type { LogCursor } from '../domain/log-cursor.ts'
import { eventPages } from './pages.ts'
import type { LogEntry, Store, StoreUnavailable } from './ports/store.ts'

/** Entries of one epoch. A cursor of this epoch that stands behind `last` is where to continue. */
export type LogPage = Readonly<{ epoch: string; entries: ReadonlyArray<LogEntry>; last: number }>

/**
 * The log has another epoch than the cursor. `shared` is the last position up to which both logs have the same entries, if the log tells.
 */
export type OtherEpoch = Readonly<{ _tag: 'OtherEpoch'; epoch: string; shared: number | undefined }>

/** The epoch is that of the cursor, and its entry is missing: a copy that the store could not notice. */
export type BeyondEnd = Readonly<{ _tag: 'BeyondEnd' }>

/**
 * The log behind a cursor, a page at a time. A failure is the last: also when the epoch changes between two pages. At least one page comes,
 * perhaps without entries.
 */
export async function* readLog(
  store: Log,
  { after, type }: Readonly<{ after: LogCursor; type?: EventType }>,
): AsyncGenerator<Either<OtherEpoch | BeyondEnd | StoreUnavailable, LogPage>, void> {
  const began = await store.readEpoch()()
  if (isLeft(began)) return yield began
  const epoch = after.epoch ?? began.right
  let last = after.position
  const query = { after: last, ...(type === undefined ? {} : { type }) }
  for await (const page of eventPages(store, query)) {
    if (isLeft(page)) return yield page
    const now = await store.readEpoch()()
    if (isLeft(now)) return yield now
    // Equal before and after: what was read in between is of this epoch.
    if (now.right !== epoch || began.right !== epoch) return yield await otherEpoch(store, { epoch, last })
    if (page.right.length === 0 && after.epoch !== undefined) {
      const entry = await store.readEvents({ after: last - 1, limit: 1 })()
      if (isLeft(entry)) return yield entry
      if (last > 0 && entry.right.length === 0) return yield left({ _tag: 'BeyondEnd' })
    }
    last = page.right.at(-1)?.position ?? last
    yield right({ epoch, entries: page.right, last })
  }
}

type Log = Pick<Store, 'readEpoch' | 'readEvents'>

const otherEpoch = async (
  store: Log,
  ended: Readonly<{ epoch: string; last: number }>,
): Promise<Either<OtherEpoch | StoreUnavailable, never>> => {
  const now = await store.readEpoch()()
  if (isLeft(now)) return now
  const size = await sizeAtEndOf(store, ended.epoch)()
  if (isLeft(size)) return size
  const shared = size.right === undefined ? undefined : Math.min(size.right, ended.last)
  return left({ _tag: 'OtherEpoch', epoch: now.right, shared })
}

/** How many entries the log had as it gave up this epoch. */
const sizeAtEndOf =
  (store: Log, epoch: string): TaskEither<StoreUnavailable, number | undefined> =>
  async () => {
    for await (const page of eventPages(store, { after: 0, type: 'LogRenewed' })) {
      if (isLeft(page)) return page
      for (const entry of page.right)
        if (entry.type === 'LogRenewed' && entry.data.previous_origin === epoch) return right(entry.data.size)
    }
    return right(undefined)
  }

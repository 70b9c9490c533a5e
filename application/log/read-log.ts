import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventType } from '../../domain/event.ts'
import type { LogCursor } from '../../domain/log-cursor.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'
import { eventPages } from '../recording/pages.ts'

/** Entries of one epoch. To continue, read after a cursor with this epoch and the position `last`. */
export type LogPage = Readonly<{ epoch: string; entries: ReadonlyArray<LogEntry>; last: number }>

/**
 * The log has another epoch than the cursor. Up to the position `shared` both logs have the same entries. It is undefined if
 * the log does not contain that renewal.
 */
export type OtherEpoch = Readonly<{ _tag: 'OtherEpoch'; epoch: string; shared: number | undefined }>

/** The cursor's epoch is current, but its entry is missing. The store is a copy and did not detect that. */
export type BeyondEnd = Readonly<{ _tag: 'BeyondEnd' }>

/**
 * Yields the log after a cursor in pages: at least one page, which may be empty. It stops after a failure, and also when the
 * epoch changes between two pages.
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
    // The epoch was the same before and after the read, so the page belongs to it.
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

/** The failure of a cursor whose epoch is not the current one. */
export const otherEpoch = async (
  store: Log,
  cursor: Readonly<{ epoch: string; last: number }>,
  ends: EpochEnds = epochEnds(store),
): Promise<Either<OtherEpoch | StoreUnavailable, never>> => {
  const now = await store.readEpoch()()
  if (isLeft(now)) return now
  const sizes = await ends(now.right)()
  if (isLeft(sizes)) return sizes
  const size = sizes.right.get(cursor.epoch)
  const shared = size === undefined ? undefined : Math.min(size, cursor.last)
  return left({ _tag: 'OtherEpoch', epoch: now.right, shared })
}

/** Returns the number of entries at the end of each earlier epoch, given the current one. */
export type EpochEnds = (now: string) => TaskEither<StoreUnavailable, ReadonlyMap<string, number>>

/** Searches the whole log for renewals, once in each epoch. Concurrent calls share the search. */
export const epochEnds = (store: Pick<Store, 'readEvents'>): EpochEnds => {
  let known: Readonly<{ epoch: string; sizes: ReturnType<ReturnType<EpochEnds>> }> | undefined
  return (now) => async () => {
    if (known?.epoch !== now) known = { epoch: now, sizes: searchEnds(store) }
    const sizes = await known.sizes
    if (isLeft(sizes)) known = undefined
    return sizes
  }
}

const searchEnds = async (
  store: Pick<Store, 'readEvents'>,
): Promise<Either<StoreUnavailable, ReadonlyMap<string, number>>> => {
  const sizes = new Map<string, number>()
  for await (const page of eventPages(store, { after: 0, type: 'LogRenewed' })) {
    if (isLeft(page)) return page
    for (const entry of page.right)
      if (entry.type === 'LogRenewed') sizes.set(entry.data.previous_origin, entry.data.size)
  }
  return right(sizes)
}

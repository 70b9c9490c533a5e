import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventType } from '../domain/event.ts'
import type { LogEntry, Store, StoreUnavailable } from './ports/store.ts'

/**
 * All that a store has of something, a page at a time, for it may be more than the memory holds. A failure is the last.
 *
 * @param read what comes after a place, ascending
 * @param begin the place before the first
 */
export async function* pages<Item, Place>(
  read: (after: Place, limit: number) => TaskEither<StoreUnavailable, ReadonlyArray<Item>>,
  begin: Place,
  placeOf: (item: Item) => Place,
): AsyncGenerator<Either<StoreUnavailable, ReadonlyArray<Item>>, void> {
  for (let after = begin; ; ) {
    const page = await read(after, PAGE)()
    yield page
    if (isLeft(page)) return
    const last = page.right.at(-1)
    if (last === undefined || page.right.length < PAGE) return
    after = placeOf(last)
  }
}

const PAGE = 1_000

/**
 * The entries of the log after a position, or those of one type, a page at a time; a page may be empty. A failure is the last.
 *
 * Each read looks at a bounded range of positions, however rare the type is. What is appended meanwhile is not skipped: a range is
 * left only if the log went beyond it before it was read.
 */
export async function* eventPages(
  store: Pick<Store, 'readEvents'>,
  { after, type }: Readonly<{ after: number; type?: EventType }>,
): AsyncGenerator<Either<StoreUnavailable, ReadonlyArray<LogEntry>>, void> {
  for (let last = after; ; ) {
    const through = Math.min(last + RANGE, Number.MAX_SAFE_INTEGER)
    const behind = await store.readEvents({ after: through, limit: 1 })()
    if (isLeft(behind)) {
      yield behind
      return
    }
    for (let isFull = true; isFull; ) {
      const query = { after: last, through, limit: PAGE, ...(type === undefined ? {} : { type }) }
      const page = await store.readEvents(query)()
      yield page
      if (isLeft(page)) return
      isFull = page.right.length === PAGE
      last = page.right.at(-1)?.position ?? last
    }
    if (behind.right.length === 0) return
    last = through
  }
}

/** So many positions: a few milliseconds for a store that looks at each. */
const RANGE = 10_000

import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { EventType } from '../../domain/event.ts'
import type { LogEntry, Store, StoreUnavailable } from '../ports/store.ts'

/**
 * Yields everything that `read` returns, in pages, because it may exceed the memory. It stops after a failure. It reads a page
 * while the caller works on the one before.
 *
 * @param read returns the items after a place, ascending
 * @param begin the place before the first item
 * @param size the number of items in a page
 */
export async function* pages<Item, Place>(
  read: (after: Place, limit: number) => TaskEither<StoreUnavailable, ReadonlyArray<Item>>,
  begin: Place,
  placeOf: (item: Item) => Place,
  size = PAGE,
): AsyncGenerator<Either<StoreUnavailable, ReadonlyArray<Item>>, void> {
  for (let next = read(begin, size)(); ; ) {
    const page = await next
    const last = isLeft(page) || page.right.length < size ? undefined : page.right.at(-1)
    if (last !== undefined) next = read(placeOf(last), size)()
    yield page
    if (last === undefined) return
  }
}

const PAGE = 1_000

/**
 * The page of a check of the whole store. What the check keeps fills the memory, so each collection of garbage copies the pages that
 * are in use. Larger ones cost more time than they save.
 */
export const PAGE_OF_CHECK = 500

/**
 * Yields the log's entries after a position in pages, optionally of one type only. A page may be empty. It stops after a failure.
 *
 * Each read covers a bounded range of positions, also for a rare type. It skips no entry that is appended meanwhile: it
 * leaves a range only if the log had entries behind the range before the read.
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

/** A number of positions: a store without an index of types reads them in a few milliseconds. */
const RANGE = 10_000

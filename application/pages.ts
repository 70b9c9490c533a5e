import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from './ports/store.ts'

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

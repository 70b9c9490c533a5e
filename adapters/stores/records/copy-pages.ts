import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { COPY_PAGE, type CopyPage } from '../../../application/ports/store-copy.ts'
import { unavailable } from './unavailable.ts'

type Read<Item> = Either<StoreUnavailable, ReadonlyArray<Item>>

/**
 * Returns a function that reads page after page. Each begins behind the last item of the one before.
 *
 * @param reasonOf describes what a read has thrown
 */
export const copyPages = (reasonOf: (error: unknown) => string) =>
  async function* <Item, Place>(
    read: (after: Place) => Read<Item> | Promise<Read<Item>>,
    begin: Place,
    placeOf: (item: Item) => Place,
    pageOf: (items: ReadonlyArray<Item>) => CopyPage,
  ): AsyncGenerator<Either<StoreUnavailable, CopyPage>> {
    for (let after = begin; ; ) {
      let page: Read<Item>
      try {
        page = await read(after)
      } catch (error) {
        page = unavailable(reasonOf(error))
      }
      if (isLeft(page)) {
        yield page
        return
      }
      const last = page.right.at(-1)
      if (last === undefined) return
      yield right(pageOf(page.right))
      if (page.right.length < COPY_PAGE) return
      after = placeOf(last)
    }
  }

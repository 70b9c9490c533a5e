import { isLeft, right } from 'fp-ts/lib/Either.js'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher } from '../ports/password-hasher.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { pages } from '../recording/pages.ts'

/**
 * Returns the first scheme in use whose records this hasher cannot read. The process that wrote them may be unable to read records
 * of this hasher, too.
 *
 * @param isMeant restricts it to some schemes
 */
export const unreadableScheme =
  (
    {
      store,
      hasher,
    }: Readonly<{
      store: Pick<Store, 'listPasswordSchemes'>
      hasher: Pick<PasswordHasher, 'verifyMs'>
    }>,
    isMeant: (scheme: string) => boolean = () => true,
  ): TaskEither<StoreUnavailable, Option<string>> =>
  async () => {
    const read = (after: string, limit: number) => store.listPasswordSchemes({ after, limit })
    for await (const page of pages(read, '', (scheme) => scheme)) {
      if (isLeft(page)) return page
      const found = page.right.find((scheme) => isMeant(scheme) && isNone(hasher.verifyMs(some(scheme))))
      if (found !== undefined) return right(some(found))
    }
    return right(none)
  }

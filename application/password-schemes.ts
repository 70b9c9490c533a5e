import { pipe } from 'fp-ts/lib/function.js'
import { isNone, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'

/**
 * Returns the schemes in use whose records this hasher cannot read. The process that wrote them may be unable to read records of
 * this hasher, too.
 */
export const unreadableSchemes = (
  store: Pick<Store, 'listPasswordSchemes'>,
  hasher: Pick<PasswordHasher, 'verifyMs'>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<string>> =>
  pipe(
    store.listPasswordSchemes(),
    TE.map((schemes) => schemes.filter((scheme) => isNone(hasher.verifyMs(some(scheme))))),
  )

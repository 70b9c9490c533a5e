import { pipe } from 'fp-ts/lib/function.js'
import { isNone, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PasswordHasher } from './ports/password-hasher.ts'
import type { Store, StoreUnavailable } from './ports/store.ts'

/** The schemes in use whose records this hasher cannot read: what it writes beside them may be as unreadable to another one. */
export const unreadableSchemes = (
  store: Pick<Store, 'listPasswordSchemes'>,
  hasher: Pick<PasswordHasher, 'verifyMs'>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<string>> =>
  pipe(
    store.listPasswordSchemes(),
    TE.map((schemes) => schemes.filter((scheme) => isNone(hasher.verifyMs(some(scheme))))),
  )

import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Digests } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findPresented } from '../recording/one-time-tokens.ts'
import type { PendingSignIn } from './browser-cookies.ts'

/**
 * Whether a sign-in that waited for the second factor was completed. Only the browser that began it has its token, so a second click on
 * another instance learns that the first one succeeded.
 */
export type IsSignInCompleted = (pending: PendingSignIn) => TE.TaskEither<StoreUnavailable, boolean>

export const isSignInCompleted =
  (dependencies: Readonly<{ store: Pick<Store, 'findOneTimeToken'>; digests: Digests }>): IsSignInCompleted =>
  ({ token }) =>
    pipe(
      findPresented(dependencies, 'sign_in', token),
      TE.map((found) => isSome(found) && found.value.token.used),
    )

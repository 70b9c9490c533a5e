import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { liveSessions, MAX_LISTED_SESSIONS, type Session } from '../../domain/session.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/token.ts'
import type { Clock } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Lists the live sessions of a signed-in user, newest first (docs/contract.md §8). It changes nothing. */
export type ListSessions = (
  caller: UserCaller,
) => TE.TaskEither<StoreUnavailable, ReadonlyArray<ListedSession>>

/** `isCurrent` marks the session that made the request. */
export type ListedSession = Pick<Session, 'id' | 'createdAtSeconds' | 'expiresAtSeconds' | 'applicationId'> &
  Readonly<{ isCurrent: boolean }>

export const listSessions =
  ({ store, clock }: Readonly<{ store: Pick<Store, 'listSessions'>; clock: Clock }>): ListSessions =>
  ({ user, session: current }) => {
    const now = clock() / 1000
    return pipe(
      store.listSessions({
        userId: user.id,
        passwordVersion: user.passwordVersion,
        expiresAfterSeconds: Math.floor(now - CLOCK_TOLERANCE_SECONDS),
        limit: MAX_LISTED_SESSIONS,
      }),
      TE.map((found) =>
        liveSessions({ current, found, user, nowSeconds: now }).map(
          ({ id, createdAtSeconds, expiresAtSeconds, applicationId }) => ({
            id,
            createdAtSeconds,
            expiresAtSeconds,
            applicationId,
            isCurrent: id === current.id,
          }),
        ),
      ),
    )
  }

import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Invalid, invalid } from '../../domain/field.ts'
import { newestFirst } from '../../domain/session.ts'
import {
  type UserNaming,
  type UserNamingProblem,
  validateNamedUser,
  validateUserNaming,
} from '../../domain/user-naming.ts'
import { type ListedFactor, listed } from '../factors/list-factors.ts'
import type { Clock } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { findNamed } from '../recording/change-user.ts'
import { type ListedSession, listedSessions, liveSessionsOf } from '../sessions/list-sessions.ts'
import { type ListedUser, listedUser } from './search-users.ts'

/** Shows one user to an application, with factors and live sessions (docs/administration.md §5). It changes nothing. */
export type ShowUser = (
  request: UserNaming,
) => TE.TaskEither<Invalid<UserNamingProblem> | StoreUnavailable, ShownUser>

/** The sessions are the newest first, as the user sees them. */
export type ShownUser = ListedUser &
  Readonly<{
    factors: ReadonlyArray<ListedFactor>
    sessions: ReadonlyArray<Omit<ListedSession, 'isCurrent'>>
  }>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'findUserByEmail' | 'listFactors' | 'listSessions' | 'findApplication'>
  clock: Clock
}>

export const showUser =
  (dependencies: Dependencies): ShowUser =>
  (request) =>
    pipe(
      TE.fromEither(pipe(validateUserNaming(request), E.mapLeft(invalid))),
      TE.chainW((named) =>
        pipe(
          findNamed(dependencies.store, named),
          TE.chainEitherKW((found) => pipe(validateNamedUser(named, found), E.mapLeft(invalid))),
        ),
      ),
      TE.bindTo('user'),
      TE.bindW('factors', ({ user }) => dependencies.store.listFactors(user.id)),
      TE.bindW('live', ({ user }) => liveSessionsOf(dependencies, user)),
      TE.bindW('sessions', ({ live }) => listedSessions(dependencies, [...live].sort(newestFirst))),
      TE.map(({ user, factors, sessions }) => ({
        ...listedUser(user),
        factors: listed(factors).factors,
        sessions,
      })),
    )

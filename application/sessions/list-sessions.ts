import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { compact } from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Assurance, sessionAssurance } from '../../domain/assurance.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../../domain/clock-tolerance.ts'
import {
  isValidFor,
  liveSessions,
  MAX_SESSIONS,
  type Session,
  type SessionFacts,
  sessionsInBrowser,
} from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { Clock } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'

/** Lists the live sessions of a signed-in user, newest first (docs/contract.md §8). It changes nothing. */
export type ListSessions = (
  caller: UserCaller,
) => TE.TaskEither<StoreUnavailable, ReadonlyArray<ListedSession>>

/** `isCurrent` marks the session that made the request. */
export type ListedSession = Pick<
  Session,
  | 'id'
  | 'createdAtSeconds'
  | 'renewedAtSeconds'
  | 'expiresAtSeconds'
  | 'endsAtSeconds'
  | 'applicationId'
  | 'label'
  | 'remembered'
> &
  Assurance &
  Readonly<{ applicationName: O.Option<string>; isCurrent: boolean }>

export const listSessions =
  ({ store, clock }: Dependencies): ListSessions =>
  ({ user, session: current }) => {
    const now = clock() / 1000
    return pipe(
      storedSessions(store, user, now),
      TE.map((found) => liveSessions({ current, found, user, nowSeconds: now })),
      TE.chain((sessions) => listedSessions({ store }, sessions)),
      TE.map((sessions) => sessions.map((session) => ({ ...session, isCurrent: session.id === current.id }))),
    )
  }

/** Returns sessions as a list shows them. */
export const listedSessions = (
  { store }: Readonly<{ store: Pick<Store, 'findApplication'> }>,
  sessions: ReadonlyArray<Session>,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Omit<ListedSession, 'isCurrent'>>> =>
  pipe(
    namesOf(store, sessions),
    TE.map((names) =>
      sessions.map((session) => ({
        id: session.id,
        createdAtSeconds: session.createdAtSeconds,
        renewedAtSeconds: session.renewedAtSeconds,
        expiresAtSeconds: session.expiresAtSeconds,
        endsAtSeconds: session.endsAtSeconds,
        applicationId: session.applicationId,
        applicationName: O.fromNullable(names.get(session.applicationId)),
        label: session.label,
        remembered: session.remembered,
        ...sessionAssurance(session),
      })),
    ),
  )

/** Returns the live sessions of a user, for an operator or an application: those that expire last first, at most `MAX_SESSIONS`. */
export const liveSessionsOf = (
  { store, clock }: Readonly<{ store: Pick<Store, 'listSessions'>; clock: Clock }>,
  user: User,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Session>> => {
  const now = clock() / 1000
  return pipe(
    storedSessions(store, user, now),
    TE.map((found) => found.filter((session) => isValidFor(user, session, now))),
  )
}

/**
 * Returns the sessions of a user that a sign-in ends, so that no more than `MAX_SESSIONS` are alive with the new one. Usually it is none or
 * one. Concurrent sign-ins may leave some more, which the next sign-in ends.
 */
export const sessionsBeyondBound = (store: Pick<Store, 'listSessions'>, user: User, nowSeconds: number) =>
  storedSessions(store, user, nowSeconds, MAX_SESSIONS - 1)

/** Returns the live sessions in the browser of a session, that one included if it is alive. */
export const liveSessionsInBrowser = (
  store: Pick<Store, 'listSessions'>,
  facts: Pick<SessionFacts, 'session' | 'user'>,
  nowSeconds: number,
): TE.TaskEither<StoreUnavailable, ReadonlyArray<Session>> =>
  pipe(
    storedSessions(store, facts.user, nowSeconds),
    TE.map((found) => sessionsInBrowser(facts, found, nowSeconds)),
  )

/** Sessions of revoked applications are left out by the store. */
const storedSessions = (store: Pick<Store, 'listSessions'>, user: User, nowSeconds: number, skip = 0) =>
  store.listSessions({
    userId: user.id,
    passwordVersion: user.passwordVersion,
    sessionsVersion: user.sessionsVersion,
    expiresAfterSeconds: Math.floor(nowSeconds - CLOCK_TOLERANCE_SECONDS),
    skip,
    limit: MAX_SESSIONS,
  })

type Dependencies = Readonly<{ store: Pick<Store, 'listSessions' | 'findApplication'>; clock: Clock }>

/** Reads each application once. */
const namesOf = (
  store: Pick<Store, 'findApplication'>,
  sessions: ReadonlyArray<Session>,
): TE.TaskEither<StoreUnavailable, ReadonlyMap<string, string>> =>
  pipe(
    [...new Set(sessions.map(({ applicationId }) => applicationId))],
    TE.traverseArray((id) =>
      pipe(store.findApplication(id), TE.map(O.map(({ name }) => [id, name] as const))),
    ),
    TE.map((found) => new Map(compact(found))),
  )

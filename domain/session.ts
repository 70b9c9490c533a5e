import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import { CLOCK_TOLERANCE_SECONDS } from './token.ts'
import type { User } from './user.ts'

/** What a user token stands for. It lives in the store, so that it can end before the token expires. */
export type Session = Readonly<{
  id: string
  userId: string
  /** The user's password version it was opened, or last re-written, under. */
  passwordVersion: number
  /** When it was opened. None only where a version that kept no such record has written it. */
  createdAtSeconds: Option<number>
  /** Seconds since the epoch, as `exp` in RFC 7519. */
  expiresAtSeconds: number
  /** The application that signed the user in. None where it is not known, as above. */
  applicationId: Option<string>
  signedOut: boolean
  /** How often this record was written; 1 is the first time. */
  version: number
}>

/** A session with its user and the application that opened it: none where none is recorded, or none has that id. */
export type SessionFacts = Readonly<{ session: Session; user: User; application: Option<Application> }>

/**
 * A session lives until it expires, is signed out, the password changes under it, its user is disabled or removed, or the
 * application that opened it is revoked. A sign-in that checked the old password while it was being changed therefore opens a
 * session that is dead on arrival. A session without a recorded application outlives every application.
 */
export const isAlive = ({ session, user, application }: SessionFacts, nowSeconds: number): boolean =>
  isCurrent(session, user, nowSeconds) &&
  (isNone(session.applicationId) || (isSome(application) && !application.value.revoked))

const isCurrent = (session: Session, user: User, nowSeconds: number): boolean =>
  !session.signedOut &&
  session.userId === user.id &&
  user.status === 'enabled' &&
  session.passwordVersion === user.passwordVersion &&
  nowSeconds < session.expiresAtSeconds + CLOCK_TOLERANCE_SECONDS

/** As many sessions of one user are shown at a time. */
export const SHOWN_AT_MOST = 100

/**
 * The sessions to show to a user, newest first and no more than that many; the own one is always among them.
 *
 * @param own the one that asks
 * @param found sessions of the user that no revoked application has opened, those that last longest first: all live as long, so
 *   that these are the newest, unless that was changed meanwhile
 */
export const liveSessions = (
  own: Session,
  found: ReadonlyArray<Session>,
  user: User,
  nowSeconds: number,
): ReadonlyArray<Session> =>
  [
    own,
    ...found
      .filter((session) => session.id !== own.id && isCurrent(session, user, nowSeconds))
      .slice(0, SHOWN_AT_MOST - 1),
  ].sort(newestFirst)

/** Ids are UUIDs of version 7, which come in the order in which they are made, and within one second too. */
const newestFirst = (one: Session, other: Session): number => (one.id < other.id ? 1 : -1)

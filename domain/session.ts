import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Application } from './application.ts'
import type { Authentication } from './assurance.ts'
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { User } from './user.ts'

/** The session behind a user token. It is stored, so that it can end before the token expires. */
export type Session = Readonly<{
  id: string
  userId: string
  /** The user's `passwordVersion` when the session was opened or last rewritten. */
  passwordVersion: number
  /** The user's `sessionsVersion` at the same time. */
  sessionsVersion: number
  createdAtSeconds: number
  /** Seconds since the epoch, like `exp` in RFC 7519. A renewal moves it. */
  expiresAtSeconds: number
  /** When the session ends at the latest, however often it is renewed. */
  endsAtSeconds: number
  /** The last renewal that moved the expiry. */
  renewedAtSeconds: Option<number>
  /** What the application calls the device, such as `Firefox on Linux`. None without one, and once the session has ended. */
  label: Option<string>
  /** When the session last changed the password of its user. None if it never did. */
  passwordChangedAtSeconds: Option<number>
  /** The application that signed the user in. */
  applicationId: string
  /** Whether the user wanted to be remembered, and the application had a lifetime for that. */
  remembered: boolean
  /** Of a session of the pages: the digest of the secret in the cookie of its browser. None elsewhere. */
  cookie: Option<string>
  /** The browser whose session of the pages this is, or through which it was opened. A random id, and no secret. None elsewhere. */
  browserId: Option<string>
  signedOut: boolean
  /** Counts the writes of this record, from 1. */
  version: number
}> &
  Authentication

/** Returns the session after a sign-out. Its label is gone. */
export const signedOut = (session: Session): Session => ({ ...session, signedOut: true, label: none })

/** Returns the session that stays alive while the others of its user end. */
export const continued = (
  session: Session,
  { passwordVersion, sessionsVersion }: Pick<User, 'passwordVersion' | 'sessionsVersion'>,
): Session => ({ ...session, passwordVersion, sessionsVersion })

/** Returns the session that changed the password of its user. It stays alive while the others end. */
export const passwordChanged = (
  session: Session,
  changed: Pick<User, 'passwordVersion' | 'sessionsVersion'>,
  atSeconds: number,
): Session => ({ ...continued(session, changed), passwordChangedAtSeconds: some(atSeconds) })

/** A session, its user and the application that opened it: none if it does not exist. */
export type SessionFacts = Readonly<{ session: Session; user: User; application: Option<Application> }>

/**
 * Whether a session is alive (docs/contract.md §8.1).
 *
 * A sign-in may overlap what ends sessions. It then records an earlier version of the user, so its session has already ended.
 */
export const isAlive = ({ session, user, application }: SessionFacts, nowSeconds: number): boolean =>
  isValidFor(user, session, nowSeconds) && isSome(application) && !application.value.revoked

/** Returns a session that may have ended without its label, which is gone with the session. Housekeeping erases the bytes later. */
export const withoutEndedLabel = (facts: SessionFacts): SessionFacts =>
  isSome(facts.session.label) && hasEnded(facts)
    ? { ...facts, session: { ...facts.session, label: none } }
    : facts

/** Whether something ended a session before it expired. */
export const hasEnded = (facts: SessionFacts): boolean => !isAlive(facts, Number.NEGATIVE_INFINITY)

/** Whether a session is alive, except for the application that opened it. */
export const isValidFor = (user: User, session: Session, nowSeconds: number): boolean =>
  !session.signedOut &&
  session.userId === user.id &&
  user.status === 'enabled' &&
  session.passwordVersion === user.passwordVersion &&
  session.sessionsVersion === user.sessionsVersion &&
  nowSeconds < session.expiresAtSeconds + CLOCK_TOLERANCE_SECONDS

/** Whether a session is another one, or was opened through the same browser as it. */
const isInBrowserOf =
  ({ id, browserId }: Session) =>
  (session: Session): boolean =>
    session.id === id ||
    (isSome(browserId) && isSome(session.browserId) && session.browserId.value === browserId.value)

/**
 * Returns the live sessions in the browser of a session, which may be alive itself. `found` are sessions of its user that no revoked
 * application opened.
 */
export const sessionsInBrowser = (
  { session, user }: Pick<SessionFacts, 'session' | 'user'>,
  found: ReadonlyArray<Session>,
  nowSeconds: number,
): ReadonlyArray<Session> =>
  [session, ...found.filter(({ id }) => id !== session.id)].filter(
    (one) => isInBrowserOf(session)(one) && isValidFor(user, one, nowSeconds),
  )

/** Whether two sessions say the same of the authentication of their user. */
export const isSameAuthentication = (one: Authentication, other: Authentication): boolean =>
  one.methods === other.methods && one.authenticatedAtSeconds === other.authenticatedAtSeconds

/**
 * Returns how long another token of a session lives: no longer than one of a sign-in, because gateways accept it after the end of its
 * session, and never beyond the session.
 */
export const tokenLifetime = (
  { expiresAtSeconds }: Pick<Session, 'expiresAtSeconds'>,
  { userTokenTtlSeconds }: Pick<Lifetimes, 'userTokenTtlSeconds'>,
  nowSeconds: number,
): number => Math.min(userTokenTtlSeconds, expiresAtSeconds - nowSeconds)

/** The most live sessions of a user. A sign-in beyond it ends the one that expires first. */
export const MAX_SESSIONS = 100

/**
 * Returns the live sessions to list for a user, newest first, at most `MAX_SESSIONS`. The current one is always included.
 *
 * `found` are the user's sessions that no revoked application opened, sorted by expiry, latest first. Among
 * sessions of one lifetime, these are the newest.
 */
export const liveSessions = ({
  current,
  found,
  user,
  nowSeconds,
}: Readonly<{
  current: Session
  found: ReadonlyArray<Session>
  user: User
  nowSeconds: number
}>): ReadonlyArray<Session> =>
  [
    current,
    ...found
      .filter((session) => session.id !== current.id && isValidFor(user, session, nowSeconds))
      .slice(0, MAX_SESSIONS - 1),
  ].sort(newestFirst)

/** Ids are UUIDs of version 7, which sort by creation, also within one second. */
export const newestFirst = (one: Session, other: Session): number => (one.id < other.id ? 1 : -1)

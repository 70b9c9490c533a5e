import { isSome, none } from 'fp-ts/lib/Option.js'
import type { Application } from '../../../domain/application.ts'
import { amrOf } from '../../../domain/assurance.ts'
import type { Actor } from '../../../domain/event.ts'
import { type OneTimeToken, used } from '../../../domain/one-time-token.ts'
import { renewed } from '../../../domain/renewal.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { continued, type Session, signedOut } from '../../../domain/session.ts'
import { type StepUpAuthentication, steppedUp } from '../../../domain/step-up.ts'
import { type User, withoutOtherSessions, withoutSessions } from '../../../domain/user.ts'
import type { ComparedRow } from '../../ports/store.ts'
import {
  continueExpected,
  createExpected,
  endAllExpected,
  keepSession,
  raiseSessionsVersion,
  spendToken,
  unknownSubject,
  updateExpected,
} from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import type { Expected } from '../tables.ts'
import { defineEvent, logged, theUser } from './definition.ts'

/** A session to open. The time and the application of its row come from the event, so that both always agree. */
export type NewSession = Omit<
  Unwritten<Session>,
  'createdAtSeconds' | 'applicationId' | 'renewedAtSeconds' | 'passwordChangedAtSeconds'
>

export const SESSION_EVENTS = {
  /**
   * `token` is that of the first step, if a second factor was due. Of two uses of it one wins. `newDeviceOf` is the user, if the browser has
   * no mark of an earlier sign-in. `through` is the session of the pages that the session is opened by. It is compared, so that none is opened
   * by an ended one.
   */
  UserSignedIn: defineEvent<
    'UserSignedIn',
    {
      session: NewSession
      token?: OneTimeToken | undefined
      newDeviceOf?: Pick<User, 'id' | 'email' | 'attributes'> | undefined
      through?: Session | undefined
    }
  >({
    version: 1,
    event: ({ session, token }) =>
      logged(theUser(session.userId), {
        session_id: session.id,
        expires_at: rfc3339OfSeconds(session.expiresAtSeconds),
        ends_at: rfc3339OfSeconds(session.endsAtSeconds),
        amr: amrOf(session.methods),
        ...(session.remembered ? { remembered: true } : {}),
        ...(isSome(session.browserId) ? { browser_id: session.browserId.value } : {}),
        ...(token === undefined ? {} : { token_id: token.id }),
      }),
    compared: ({ through }) =>
      through === undefined ? [] : [{ table: 'sessions', id: through.id, version: through.version }],
    rows: ({ session, token }, { actor, atMilliseconds }) => [
      {
        table: 'sessions',
        row: inserted({
          ...session,
          renewedAtSeconds: none,
          passwordChangedAtSeconds: none,
          createdAtSeconds: Math.floor(atMilliseconds / 1000),
          authenticatedAtSeconds: notAfter(atMilliseconds)(session.authenticatedAtSeconds),
          applicationId: applicationOf(actor),
        }),
      },
      ...(token === undefined ? [] : [{ table: 'one_time_tokens', row: updated(used(token)) } as const]),
    ],
    expect: (entry, { users, sessions, one_time_tokens, nowSeconds }) => {
      const user = users.get(entry.subject.id)
      if (user === undefined) return unknownSubject(entry)
      if (entry.data.token_id !== undefined) spendToken(one_time_tokens, entry.data.token_id)
      const expiresAtSeconds = Date.parse(entry.data.expires_at) / 1000
      const endsAtSeconds = Date.parse(entry.data.ends_at) / 1000
      if (endsAtSeconds <= nowSeconds) return
      return createExpected(
        sessions,
        { kind: 'session', id: entry.data.session_id },
        {
          userId: entry.subject.id,
          createdAtSeconds: Math.floor(Date.parse(entry.at) / 1000),
          expiresAtSeconds,
          endsAtSeconds,
          renewedAtSeconds: undefined,
          passwordChangedAtSeconds: undefined,
          amr: entry.data.amr,
          authenticatedAtMostSeconds: Math.floor(Date.parse(entry.at) / 1000),
          applicationId: applicationOf(entry.actor),
          remembered: entry.data.remembered ?? false,
          browserId: entry.data.browser_id,
          signedOut: false,
          passwordVersion: user.passwordVersion,
          sessionsVersion: user.sessionsVersion,
          hasExactVersions: false,
          isStored: false,
          version: 1,
        },
      )
    },
  }),

  /**
   * The user and the application are compared: what ends sessions writes their rows, so no renewal follows it in the log.
   * `expiresAtSeconds` is that of the session after the renewal.
   */
  SessionRenewed: defineEvent<
    'SessionRenewed',
    { session: Session; user: User; application: Application; expiresAtSeconds: number }
  >({
    version: 1,
    event: ({ session, expiresAtSeconds }) =>
      logged(theUser(session.userId), {
        session_id: session.id,
        expires_at: rfc3339OfSeconds(Math.max(session.expiresAtSeconds, expiresAtSeconds)),
      }),
    compared: userAndApplication,
    rows: ({ session, expiresAtSeconds }, { atMilliseconds }) => [
      {
        table: 'sessions',
        row: updated(renewed(session, expiresAtSeconds, Math.floor(atMilliseconds / 1000))),
      },
    ],
    expect: (entry, { users, applications, sessions }) => {
      const { data, subject } = entry
      const session = sessions.get(data.session_id)
      if (session === undefined) return // ended since
      const user = users.get(subject.id)
      if (user === undefined) return unknownSubject(entry)
      const expiresAtSeconds = Date.parse(data.expires_at) / 1000
      const wrong =
        deadSession(session, { user, subject, applications }) ?? wrongExpiry(session, expiresAtSeconds)
      session.expiresAtSeconds = expiresAtSeconds
      session.renewedAtSeconds = Math.floor(Date.parse(entry.at) / 1000)
      continueExpected(session, user)
      return wrong === undefined ? undefined : `session ${data.session_id} ${wrong}`
    },
  }),

  /** The user and the application are compared, as for `SessionRenewed`. `authenticatedAtSeconds` is the `auth_time` of the new token. */
  SessionSteppedUp: defineEvent<
    'SessionSteppedUp',
    { session: Session; user: User; application: Application } & StepUpAuthentication
  >({
    version: 1,
    event: ({ session, methods }) =>
      logged(theUser(session.userId), { session_id: session.id, amr: amrOf(methods) }),
    compared: userAndApplication,
    rows: ({ session, methods, authenticatedAtSeconds }, { atMilliseconds }) => [
      {
        table: 'sessions',
        row: updated(
          steppedUp(session, {
            methods,
            authenticatedAtSeconds: notAfter(atMilliseconds)(authenticatedAtSeconds),
          }),
        ),
      },
    ],
    expect: (entry, { users, applications, sessions }) => {
      const { data, subject } = entry
      const session = sessions.get(data.session_id)
      if (session === undefined) return // ended since
      const user = users.get(subject.id)
      if (user === undefined) return unknownSubject(entry)
      const wrong = deadSession(session, { user, subject, applications })
      session.amr = data.amr
      session.authenticatedAtMostSeconds = Math.floor(Date.parse(entry.at) / 1000)
      continueExpected(session, user)
      return wrong === undefined ? undefined : `session ${data.session_id} ${wrong}`
    },
  }),

  /** `displacedBy` is the session of a later sign-in. */
  UserSignedOut: defineEvent<'UserSignedOut', { session: Session; displacedBy?: string | undefined }>({
    version: 1,
    event: ({ session, displacedBy }) =>
      logged(theUser(session.userId), {
        session_id: session.id,
        ...(displacedBy === undefined ? {} : { displaced_by: displacedBy }),
      }),
    rows: ({ session }) => [{ table: 'sessions', row: updated(signedOut(session)) }],
    expect: ({ subject, data }, { sessions }) => {
      const session = sessions.get(data.session_id)
      if (session === undefined) return // expired since
      session.signedOut = true
      session.version += 1
      return session.userId === subject.id ? undefined : `session ${data.session_id} belongs to another user`
    },
  }),

  /** Ends all sessions of the user. */
  SessionsEnded: defineEvent<'SessionsEnded', { user: User }>({
    version: 1,
    event: ({ user }) =>
      logged(theUser(user.id), { sessions_version: withoutSessions(user).sessionsVersion }),
    rows: ({ user }) => [{ table: 'users', row: updated(withoutSessions(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => endAllExpected(user, entry.data.sessions_version)),
  }),

  /** `session` is the one that stays alive. */
  OtherSessionsEnded: defineEvent<'OtherSessionsEnded', { user: User; session: Session }>({
    version: 1,
    event: ({ user, session }) =>
      logged(theUser(user.id), {
        sessions_version: withoutOtherSessions(user).sessionsVersion,
        session_id: session.id,
      }),
    rows: ({ user, session }) => {
      const changed = withoutOtherSessions(user)
      return [
        { table: 'users', row: updated(changed) },
        { table: 'sessions', row: updated(continued(session, changed)) },
      ]
    },
    expect: (entry, { users, sessions }) =>
      updateExpected(users, entry, (user) => {
        const finding = raiseSessionsVersion(user, entry.data.sessions_version)
        keepSession(sessions, entry.data.session_id, user)
        return finding
      }),
  }),
}

/** What ends a session writes the row of its user or of its application, or of itself. */
function userAndApplication({
  user,
  application,
}: Readonly<{ user: User; application: Application }>): ReadonlyArray<ComparedRow> {
  return [
    { table: 'users', id: user.id, version: user.version },
    { table: 'applications', id: application.id, version: application.version },
  ]
}

/** The application that signs a user in. No other actor does. */
const applicationOf = (actor: Actor): string => (actor.kind === 'application' ? actor.id : '')

/** The token is signed before the entry is recorded. A clock that is set back meanwhile makes no row newer than its entry. */
const notAfter =
  (atMilliseconds: number) =>
  (seconds: number): number =>
    Math.min(seconds, Math.floor(atMilliseconds / 1000))

/** Why no entry may continue a session: only a live one is renewed or stepped up. */
const deadSession = (
  session: Expected['sessions'],
  {
    user,
    subject,
    applications,
  }: Readonly<{
    user: Expected['users']
    subject: { id: string }
    applications: ReadonlyMap<string, Expected['applications']>
  }>,
): string | undefined => {
  const { applicationId, passwordVersion, sessionsVersion } = session
  if (session.userId !== subject.id) return 'belongs to another user'
  const isOutdated = passwordVersion !== user.passwordVersion || sessionsVersion !== user.sessionsVersion
  const isOver = session.signedOut || user.status !== 'enabled' || isOutdated
  const isRevoked = applicationId !== undefined && applications.get(applicationId)?.revoked === true
  return isOver || isRevoked ? 'had ended before' : undefined
}

/** A session is never renewed beyond its end, and its expiry never comes earlier. */
const wrongExpiry = (session: Expected['sessions'], expiresAtSeconds: number): string | undefined => {
  if (expiresAtSeconds > session.endsAtSeconds) return 'is renewed beyond its end'
  return expiresAtSeconds < session.expiresAtSeconds ? 'is renewed to an earlier expiry' : undefined
}

import { none, some } from 'fp-ts/lib/Option.js'
import type { Session } from '../../../domain/session.ts'
import { type User, withoutSessions } from '../../../domain/user.ts'
import {
  createExpected,
  keepSession,
  raisePasswordVersion,
  unknownSubject,
  updateExpected,
} from '../expected-rows.ts'
import { created, type Unwritten, updated } from '../row-versions.ts'
import { about, defineEvent, rfc3339, theUser } from './definition.ts'

/** A session to open. The time and the application of its row come from the event, so that both always agree. */
export type NewSession = Omit<Unwritten<Session>, 'createdAtSeconds' | 'applicationId'>

export const SESSION_EVENTS = {
  UserSignedIn: defineEvent<'UserSignedIn', { session: NewSession }>({
    version: 1,
    event: ({ session }) =>
      about(theUser(session.userId), {
        session_id: session.id,
        expires_at: rfc3339(session.expiresAtSeconds * 1000),
      }),
    rows: ({ session }, { actor, atMilliseconds }) => [
      {
        table: 'sessions',
        row: created({
          ...session,
          createdAtSeconds: some(Math.floor(atMilliseconds / 1000)),
          applicationId: actor.kind === 'application' ? some(actor.id) : none,
        }),
      },
    ],
    expect: (entry, { users, sessions, nowSeconds }) => {
      const user = users.get(entry.subject.id)
      if (user === undefined) return unknownSubject(entry)
      const expiresAtSeconds = Date.parse(entry.data.expires_at) / 1000
      if (expiresAtSeconds <= nowSeconds) return
      return createExpected(
        sessions,
        { kind: 'session', id: entry.data.session_id },
        {
          userId: entry.subject.id,
          createdAtSeconds: Math.floor(Date.parse(entry.at) / 1000),
          expiresAtSeconds,
          applicationId: entry.actor.kind === 'application' ? entry.actor.id : undefined,
          signedOut: false,
          passwordVersion: { atMost: user.passwordVersion },
          version: 1,
        },
      )
    },
  }),

  UserSignedOut: defineEvent<'UserSignedOut', { session: Session }>({
    version: 1,
    event: ({ session }) => about(theUser(session.userId), { session_id: session.id }),
    rows: ({ session }) => [{ table: 'sessions', row: updated({ ...session, signedOut: true }) }],
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
    event: ({ user }) => about(theUser(user.id), { password_version: withoutSessions(user).passwordVersion }),
    rows: ({ user }) => [{ table: 'users', row: updated(withoutSessions(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => raisePasswordVersion(user, entry.data.password_version)),
  }),

  /** `session` is the one that stays alive. */
  OtherSessionsEnded: defineEvent<'OtherSessionsEnded', { user: User; session: Session }>({
    version: 1,
    event: ({ user, session }) =>
      about(theUser(user.id), {
        password_version: withoutSessions(user).passwordVersion,
        session_id: session.id,
      }),
    rows: ({ user, session }) => {
      const changed = withoutSessions(user)
      const { passwordVersion } = changed
      return [
        { table: 'users', row: updated(changed) },
        { table: 'sessions', row: updated({ ...session, passwordVersion }) },
      ]
    },
    expect: (entry, { users, sessions }) =>
      updateExpected(users, entry, (user) => {
        const finding = raisePasswordVersion(user, entry.data.password_version)
        keepSession(sessions, entry.data.session_id, user)
        return finding
      }),
  }),
}

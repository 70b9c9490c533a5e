import { passwordChanged, type Session } from '../../../domain/session.ts'
import { type HashedPassword, rehashed, type User, withPassword } from '../../../domain/user.ts'
import { keepSession, raisePasswordVersion, updateExpected } from '../expected-rows.ts'
import { updated } from '../row-versions.ts'
import { defineEvent, logged, theUser } from './definition.ts'

export const PASSWORD_EVENTS = {
  /** `session` made the change. It follows the user to the new password version and so stays alive; all others end. */
  PasswordChanged: defineEvent<'PasswordChanged', { user: User; session: Session; password: HashedPassword }>(
    {
      version: 1,
      event: ({ user, session, password }, sha256) =>
        logged(theUser(user.id), {
          password_version: withPassword(user, password).passwordVersion,
          password_digest: sha256(password.record),
          session_id: session.id,
        }),
      rows: ({ user, session, password }, { atMilliseconds }) => {
        const changed = withPassword(user, password)
        return [
          { table: 'users', row: updated(changed) },
          {
            table: 'sessions',
            row: updated(passwordChanged(session, changed, Math.floor(atMilliseconds / 1000))),
          },
        ]
      },
      expect: (entry, { users, sessions }) =>
        updateExpected(users, entry, (user) => {
          user.passwordDigest = entry.data.password_digest
          const finding = raisePasswordVersion(user, entry.data.password_version)
          const { session_id: id } = entry.data
          keepSession(sessions, id, user)
          const session = sessions.get(id)
          if (session !== undefined)
            session.passwordChangedAtSeconds = Math.floor(Date.parse(entry.at) / 1000)
          return finding
        }),
    },
  ),

  PasswordSet: defineEvent<'PasswordSet', { user: User; password: HashedPassword }>({
    version: 1,
    event: ({ user, password }, sha256) =>
      logged(theUser(user.id), {
        password_version: withPassword(user, password).passwordVersion,
        password_digest: sha256(password.record),
      }),
    rows: ({ user, password }) => [{ table: 'users', row: updated(withPassword(user, password)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.passwordDigest = entry.data.password_digest
        return raisePasswordVersion(user, entry.data.password_version)
      }),
  }),

  /** The password stays the same, so no session ends. */
  PasswordRehashed: defineEvent<'PasswordRehashed', { user: User; password: HashedPassword }>({
    version: 1,
    event: ({ user, password }, sha256) =>
      logged(theUser(user.id), { password_digest: sha256(password.record) }),
    rows: ({ user, password }) => [{ table: 'users', row: updated(rehashed(user, password)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.passwordDigest = entry.data.password_digest
      }),
  }),
}

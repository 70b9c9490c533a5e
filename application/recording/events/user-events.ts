import { disabled, enabled, removed, type User } from '../../../domain/user.ts'
import { updateExpected } from '../expected-rows.ts'
import { created, type Unwritten, updated } from '../row-versions.ts'
import { about, defineEvent, theUser } from './definition.ts'

export const USER_EVENTS = {
  UserRegistered: defineEvent<'UserRegistered', { user: Unwritten<User> }>({
    version: 1,
    event: ({ user }, sha256) => about(theUser(user.id), { password_digest: sha256(user.passwordRecord) }),
    rows: ({ user }) => [{ table: 'users', row: created(user) }],
    expect: ({ subject, data }, { users }) => {
      users.set(subject.id, {
        passwordVersion: 1,
        passwordDigest: data.password_digest,
        status: 'enabled',
        version: 1,
      })
    },
  }),

  UserDisabled: defineEvent<'UserDisabled', { user: User }>({
    version: 1,
    event: ({ user }) => about(theUser(user.id), {}),
    rows: ({ user }) => [{ table: 'users', row: updated(disabled(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.status = 'disabled'
        user.passwordVersion += 1
      }),
  }),

  UserEnabled: defineEvent<'UserEnabled', { user: User }>({
    version: 1,
    event: ({ user }) => about(theUser(user.id), {}),
    rows: ({ user }) => [{ table: 'users', row: updated(enabled(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.status = 'enabled'
      }),
  }),

  UserRemoved: defineEvent<'UserRemoved', { user: User }>({
    version: 1,
    event: ({ user }) => about(theUser(user.id), {}),
    rows: ({ user }) => [{ table: 'users', row: updated(removed(user)) }],
    expect: (entry, { users, sha256 }) =>
      updateExpected(users, entry, (user) => {
        user.status = 'removed'
        user.passwordVersion += 1
        user.passwordDigest = sha256('')
      }),
  }),
}

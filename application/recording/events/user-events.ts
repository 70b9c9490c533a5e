import {
  type Attributes,
  attributesOf,
  attributesText,
  changedAttributes,
} from '../../../domain/attributes.ts'
import { type Factor, removedFactor } from '../../../domain/factor.ts'
import { rfc3339OfSeconds } from '../../../domain/rfc3339.ts'
import { NO_ROLES, type Roles } from '../../../domain/roles.ts'
import { claimed, disabled, enabled, removed, type User } from '../../../domain/user.ts'
import {
  createExpected,
  factorsOf,
  raisePasswordVersion,
  removeExpected,
  updateExpected,
} from '../expected-rows.ts'
import { inserted, type Unwritten, updated } from '../row-versions.ts'
import { defineEvent, logged, theUser } from './definition.ts'

/** A user to register. The time of its row comes from the event, so that both always agree. */
export type NewUser = Omit<Unwritten<User>, 'createdAtSeconds'>

export const USER_EVENTS = {
  /** `isByLink`: the owner of the e-mail made the account on a page, with the link of a mail. */
  UserRegistered: defineEvent<'UserRegistered', { user: NewUser; isByLink?: true }>({
    version: 1,
    event: ({ user }, sha256) =>
      logged(theUser(user.id), {
        password_digest: sha256(user.passwordRecord),
        email_verified: user.emailVerified,
      }),
    rows: ({ user }, { atMilliseconds }) => [
      {
        table: 'users',
        row: inserted({ ...user, createdAtSeconds: Math.floor(atMilliseconds / 1000) }),
      },
    ],
    expect: (entry, { users }) =>
      createExpected(users, entry.subject, {
        passwordVersion: 1,
        sessionsVersion: 1,
        allEndedVersion: 1,
        emailVersion: 1,
        roles: NO_ROLES,
        passwordDigest: entry.data.password_digest,
        emailVerified: entry.data.email_verified,
        createdAtSeconds: Math.floor(Date.parse(entry.at) / 1000),
        status: 'enabled',
        isStored: false,
        version: 1,
      }),
  }),

  /** The user was registered elsewhere, at `createdAtSeconds`. */
  UserImported: defineEvent<'UserImported', { user: NewUser; createdAtSeconds: number }>({
    version: 1,
    event: ({ user, createdAtSeconds }, sha256) =>
      logged(theUser(user.id), {
        password_digest: sha256(user.passwordRecord),
        scheme: user.passwordScheme,
        email_verified: user.emailVerified,
        created_at: rfc3339OfSeconds(createdAtSeconds),
      }),
    rows: ({ user, createdAtSeconds }) => [{ table: 'users', row: inserted({ ...user, createdAtSeconds }) }],
    expect: ({ subject, data }, { users }) =>
      createExpected(users, subject, {
        passwordVersion: 1,
        sessionsVersion: 1,
        allEndedVersion: 1,
        emailVersion: 1,
        roles: NO_ROLES,
        passwordDigest: data.password_digest,
        emailVerified: data.email_verified,
        createdAtSeconds: Date.parse(data.created_at) / 1000,
        status: 'enabled',
        isStored: false,
        version: 1,
      }),
  }),

  UserDisabled: defineEvent<'UserDisabled', { user: User }>({
    version: 1,
    event: ({ user }) => logged(theUser(user.id), {}),
    rows: ({ user }) => [{ table: 'users', row: updated(disabled(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.status = 'disabled'
        user.passwordVersion += 1
      }),
  }),

  UserEnabled: defineEvent<'UserEnabled', { user: User }>({
    version: 1,
    event: ({ user }) => logged(theUser(user.id), {}),
    rows: ({ user }) => [{ table: 'users', row: updated(enabled(user)) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.status = 'enabled'
      }),
  }),

  /** Comes before the sign-in of the owner, in the same change. */
  AccountClaimed: defineEvent<'AccountClaimed', { user: User }>({
    version: 1,
    event: ({ user }) => logged(theUser(user.id), { password_version: claimed(user).passwordVersion }),
    rows: ({ user }) => [{ table: 'users', row: updated(claimed(user)) }],
    expect: (entry, { users, sha256 }) =>
      updateExpected(users, entry, (user) => {
        user.passwordDigest = sha256('')
        user.emailVerified = true
        return raisePasswordVersion(user, entry.data.password_version)
      }),
  }),

  UserAttributesChanged: defineEvent<'UserAttributesChanged', { user: User; attributes: Attributes }>({
    version: 1,
    event: ({ user, attributes }) =>
      logged(theUser(user.id), { fields: changedAttributes(attributesOf(user.attributes), attributes) }),
    rows: ({ user, attributes }) => [
      { table: 'users', row: updated({ ...user, attributes: attributesText(attributes) }) },
    ],
    expect: (entry, { users }) => updateExpected(users, entry, () => undefined),
  }),

  /** `roles` are all that the user then has. */
  UserRolesChanged: defineEvent<'UserRolesChanged', { user: User; roles: Roles }>({
    version: 1,
    event: ({ user, roles }) => logged(theUser(user.id), { roles }),
    rows: ({ user, roles }) => [{ table: 'users', row: updated({ ...user, roles }) }],
    expect: (entry, { users }) =>
      updateExpected(users, entry, (user) => {
        user.roles = entry.data.roles
        return undefined
      }),
  }),

  /** `factors` are all of the user. They go with it. */
  UserRemoved: defineEvent<'UserRemoved', { user: User; factors: ReadonlyArray<Factor> }>({
    version: 1,
    event: ({ user }) => logged(theUser(user.id), {}),
    rows: ({ user, factors }) => [
      { table: 'users', row: updated(removed(user)) },
      ...factors.map((factor) => ({ table: 'factors', row: updated(removedFactor(factor)) }) as const),
    ],
    expect: (entry, expected) =>
      updateExpected(expected.users, entry, (user) => {
        const factorIds = factorsOf(expected, entry.subject.id).map(([id]) => id)
        removeExpected(expected, entry.subject.id, factorIds)
        user.status = 'removed'
        user.passwordVersion += 1
        user.passwordDigest = expected.sha256('')
        user.emailVerified = false
        user.createdAtSeconds = 0
        user.roles = NO_ROLES
        return undefined
      }),
  }),
}

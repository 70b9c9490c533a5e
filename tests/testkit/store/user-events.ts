import { aFactor, aUser, DIGEST, enrolled, registered, removedUser } from '../builders.ts'
import { aChangedUser, type CasesOf } from './event-case.ts'

/** The events of users and their passwords, without a session. */
export const userEvents = (): CasesOf<
  | 'UserRegistered'
  | 'UserImported'
  | 'UserDisabled'
  | 'UserEnabled'
  | 'UserAttributesChanged'
  | 'UserRolesChanged'
  | 'UserRemoved'
  | 'AccountClaimed'
  | 'PasswordSet'
  | 'PasswordRehashed'
> => {
  const fresh = aUser()
  const { user, before } = aChangedUser()
  const [ofFresh, subject] = [{ kind: 'user', id: fresh.id } as const, { kind: 'user', id: user.id } as const]
  const imported = { ...fresh, emailVerified: true, passwordScheme: 'bcrypt:12' }
  const disabled = { ...user, status: 'disabled', passwordVersion: 3, version: 4 } as const
  const factor = aFactor({ userId: user.id })
  const enrolling = { ...user, sessionsVersion: 2, allEndedVersion: 2, version: 4 }
  const password = { record: '1$$bmV3', scheme: 'new' }
  const newPassword = { passwordRecord: '1$$bmV3', passwordScheme: 'new' }
  return {
    UserRegistered: {
      before: [],
      fact: registered({ ...fresh, createdAtSeconds: 0 }),
      event: {
        type: 'UserRegistered',
        version: 1,
        subject: ofFresh,
        data: { password_digest: DIGEST, email_verified: false },
      },
      rows: [{ table: 'users', row: fresh }],
    },
    UserImported: {
      before: [],
      fact: { _tag: 'UserImported', user: imported, createdAtSeconds: 1_600_000_000 },
      event: {
        type: 'UserImported',
        version: 1,
        subject: ofFresh,
        data: {
          password_digest: DIGEST,
          scheme: 'bcrypt:12',
          email_verified: true,
          created_at: '2020-09-13T12:26:40.000Z',
        },
      },
      rows: [{ table: 'users', row: { ...imported, createdAtSeconds: 1_600_000_000 } }],
    },
    UserDisabled: {
      before,
      fact: { _tag: 'UserDisabled', user },
      event: { type: 'UserDisabled', version: 1, subject, data: {} },
      rows: [{ table: 'users', row: disabled }],
    },
    UserEnabled: {
      before: [...before, { _tag: 'UserDisabled', user }],
      fact: { _tag: 'UserEnabled', user: disabled },
      event: { type: 'UserEnabled', version: 1, subject, data: {} },
      rows: [{ table: 'users', row: { ...disabled, status: 'enabled', version: 5 } }],
    },
    UserAttributesChanged: {
      before,
      fact: { _tag: 'UserAttributesChanged', user, attributes: { name: 'Ada', metadata: { size: 38 } } },
      event: { type: 'UserAttributesChanged', version: 1, subject, data: { fields: ['metadata', 'name'] } },
      rows: [
        {
          table: 'users',
          row: { ...user, attributes: '{"name":"Ada","metadata":{"size":38}}', version: 4 },
        },
      ],
    },
    UserRolesChanged: {
      before,
      fact: { _tag: 'UserRolesChanged', user, roles: ['editor', 'shop:admin'] },
      event: {
        type: 'UserRolesChanged',
        version: 1,
        subject,
        data: { roles: ['editor', 'shop:admin'] },
      },
      rows: [{ table: 'users', row: { ...user, roles: ['editor', 'shop:admin'], version: 4 } }],
    },
    UserRemoved: {
      before: [...before, enrolled(factor, user)],
      fact: removedUser(enrolling, [factor]),
      event: { type: 'UserRemoved', version: 1, subject, data: {} },
      rows: [
        {
          table: 'users',
          row: {
            ...enrolling,
            email: user.id,
            passwordRecord: '',
            passwordScheme: '',
            passwordVersion: 3,
            status: 'removed',
            createdAtSeconds: 0,
            version: 5,
          },
        },
        { table: 'factors', row: { ...factor, name: '', material: '', removed: true, version: 2 } },
      ],
    },
    AccountClaimed: {
      before,
      fact: { _tag: 'AccountClaimed', user },
      event: { type: 'AccountClaimed', version: 1, subject, data: { password_version: 3 } },
      rows: [
        {
          table: 'users',
          row: {
            ...user,
            emailVerified: true,
            passwordRecord: '',
            passwordScheme: '',
            passwordVersion: 3,
            version: 4,
          },
        },
      ],
    },
    PasswordSet: {
      before,
      fact: { _tag: 'PasswordSet', user, password },
      event: {
        type: 'PasswordSet',
        version: 1,
        subject,
        data: { password_version: 3, password_digest: DIGEST },
      },
      rows: [{ table: 'users', row: { ...user, ...newPassword, passwordVersion: 3, version: 4 } }],
    },
    PasswordRehashed: {
      before,
      fact: { _tag: 'PasswordRehashed', user, password },
      event: { type: 'PasswordRehashed', version: 1, subject, data: { password_digest: DIGEST } },
      rows: [{ table: 'users', row: { ...user, ...newPassword, version: 4 } }],
    },
  }
}

import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { RowOf } from '../../application/ports/store.ts'
import { type Alterations, any } from './alteration.ts'

/** Changes of users and of what belongs to them. */
export const ALTERATIONS_OF_USERS: {
  [T in 'users' | 'sessions' | 'one_time_tokens' | 'factors']: Alterations<T>
} = {
  users: {
    id: [{ name: 'another user', of: any, to: () => 'eve', said: ['the row'] }],
    email: [{ name: 'another address', of: isEnabled, to: () => 'eve@example.com', said: [] }],
    passwordRecord: [
      { name: 'another record', of: isEnabled, to: () => '9 eve', said: ['password_digest'] },
      { name: 'an earlier record', of: isEnabled, to: () => '1 old', said: ['password_digest'] },
      { name: 'no record', of: isEnabled, to: () => '', said: ['password_digest', 'password_scheme'] },
      { name: 'a record after a claim', of: isClaimed, to: () => '9 eve', said: ['password_digest'] },
      { name: 'a record for a removed user', of: isRemoved, to: () => '9 eve', said: ['password_digest'] },
    ],
    emailVerified: [
      { name: 'no longer verified after a claim', of: isClaimed, to: () => false, said: ['email_verified'] },
      { name: 'verified', of: isEnabled, to: (row) => !row.emailVerified, said: ['email_verified'] },
    ],
    emailVersion: [
      { name: 'higher', of: any, to: (row) => row.emailVersion + 1, said: ['email_version'] },
      { name: 'lower', of: any, to: (row) => row.emailVersion - 1, said: ['email_version'] },
    ],
    createdAtSeconds: [
      { name: 'later', of: any, to: (row) => row.createdAtSeconds + 1, said: ['created_at'] },
    ],
    passwordScheme: [{ name: 'another scheme', of: isEnabled, to: () => 'eve', said: [] }],
    passwordVersion: [
      { name: 'lower', of: any, to: (row) => row.passwordVersion - 1, said: ['password_version'] },
      { name: 'higher', of: any, to: (row) => row.passwordVersion + 1, said: ['password_version'] },
    ],
    sessionsVersion: [
      { name: 'lower', of: any, to: (row) => row.sessionsVersion - 1, said: ['sessions_version'] },
      { name: 'higher', of: any, to: (row) => row.sessionsVersion + 1, said: ['sessions_version'] },
    ],
    allEndedVersion: [
      { name: 'lower', of: any, to: (row) => row.allEndedVersion - 1, said: ['all_ended_version'] },
      { name: 'higher', of: any, to: (row) => row.allEndedVersion + 1, said: ['all_ended_version'] },
    ],
    roles: [
      { name: 'a role more', of: any, to: (row) => [...row.roles, 'z:forged'], said: ['roles'] },
      { name: 'none', of: (row) => row.roles.length > 0, to: () => [], said: ['roles'] },
    ],
    status: [
      { name: 'disabled', of: isEnabled, to: () => 'disabled', said: ['status'] },
      { name: 'enabled', of: isDisabled, to: () => 'enabled', said: ['status'] },
      { name: 'enabled after removal', of: isRemoved, to: () => 'enabled', said: ['status'] },
      { name: 'removed', of: isDisabled, to: () => 'removed', said: ['status'] },
    ],
    attributes: [
      { name: 'forgotten', of: isRenamed, to: () => '', said: [] },
      { name: 'others', of: isEnabled, to: () => '{"name":"Eve"}', said: [] },
      { name: 'damaged', of: isEnabled, to: () => '{"name":', said: ['attributes'] },
      { name: 'out of bounds', of: isEnabled, to: () => '{"name":"\\n"}', said: ['attributes'] },
      { name: 'kept after the removal', of: isRemoved, to: () => '{"name":"Eve"}', said: ['attributes'] },
    ],
    version: [
      { name: 'lower', of: any, to: (row) => row.version - 1, said: ['version'] },
      { name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] },
    ],
  },
  sessions: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    userId: [{ name: 'another user', of: any, to: () => 'eve', said: ['user_id'] }],
    passwordVersion: [
      { name: 'a later one of its user', of: isAsOpened, to: () => 3, said: ['password_version'] },
      { name: 'higher than its change', of: madeAChange, to: () => 3, said: ['password_version'] },
      { name: 'lower than its change', of: madeAChange, to: () => 1, said: ['password_version'] },
    ],
    sessionsVersion: [
      { name: 'a later one of its user', of: isAsOpened, to: () => 99, said: ['sessions_version'] },
      { name: 'lower than its change', of: madeAChange, to: () => 0, said: ['sessions_version'] },
    ],
    createdAtSeconds: [
      { name: 'later', of: any, to: (row) => row.createdAtSeconds + 1, said: ['created_at'] },
      { name: 'earlier', of: any, to: (row) => row.createdAtSeconds - 1, said: ['created_at'] },
    ],
    applicationId: [{ name: 'another', of: any, to: () => 'forged', said: ['application_id'] }],
    expiresAtSeconds: [
      { name: 'later', of: any, to: (row) => row.expiresAtSeconds + 1, said: ['expires_at'] },
      { name: 'earlier', of: any, to: (row) => row.expiresAtSeconds - 1, said: ['expires_at'] },
    ],
    endsAtSeconds: [{ name: 'later', of: any, to: (row) => row.endsAtSeconds + 1, said: ['ends_at'] }],
    renewedAtSeconds: [
      { name: 'never', of: wasRenewed, to: () => none, said: ['renewed_at'] },
      { name: 'once more', of: any, to: () => some(1), said: ['renewed_at'] },
    ],
    passwordChangedAtSeconds: [
      { name: 'never', of: changedPassword, to: () => none, said: ['password_changed_at'] },
      { name: 'once more', of: any, to: () => some(1), said: ['password_changed_at'] },
    ],
    cookie: [{ name: 'some', of: any, to: () => some('5e'.repeat(32)), said: ['cookie'] }],
    browserId: [{ name: 'some', of: any, to: () => some('another browser'), said: ['browser_id'] }],
    label: [{ name: 'another', of: any, to: () => some('evil'), said: [] }],
    remembered: [{ name: 'the other', of: any, to: (row) => !row.remembered, said: ['remembered'] }],
    methods: [
      { name: 'a password', of: isVouched, to: () => 'password', said: ['methods'] },
      { name: 'stronger', of: any, to: () => 'vouched_fed passkey', said: ['methods'] },
    ],
    authenticatedAtSeconds: [
      {
        name: 'later than its entry',
        of: any,
        to: (row) => row.authenticatedAtSeconds + 1,
        said: ['authenticated_at'],
      },
    ],
    signedOut: [
      { name: 'no longer', of: (row) => row.signedOut, to: () => false, said: ['signed_out'] },
      { name: 'signed out', of: (row) => !row.signedOut, to: () => true, said: ['signed_out'] },
    ],
    version: [
      { name: 'lower', of: any, to: (row) => row.version - 1, said: ['version'] },
      { name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] },
    ],
  },
  one_time_tokens: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    purpose: [
      { name: 'recovery', of: isConfirmation, to: () => 'recovery', said: ['purpose'] },
      { name: 'email_confirmation', of: isRecovery, to: () => 'email_confirmation', said: ['purpose'] },
    ],
    digest: [{ name: 'another', of: any, to: () => 'f0'.repeat(32), said: [] }],
    userId: [{ name: 'another user', of: any, to: () => 'eve', said: ['user_id'] }],
    applicationId: [{ name: 'another', of: any, to: () => 'forged', said: ['application_id'] }],
    passwordVersion: [{ name: 'another', of: any, to: () => 99, said: [] }],
    sessionsVersion: [{ name: 'a later one', of: any, to: () => 99, said: ['sessions_version'] }],
    emailVersion: [
      { name: 'a later one', of: any, to: (row) => row.emailVersion + 1, said: ['email_version'] },
    ],
    email: [
      { name: 'forgotten before its use', of: isMailed, to: () => '', said: ['email'] },
      { name: 'of a sign-in', of: isSignIn, to: () => 'eve@example.com', said: ['email'] },
      { name: 'kept after its use', of: (row) => row.used, to: () => 'eve@example.com', said: ['email'] },
    ],
    label: [
      { name: 'another', of: isSignIn, to: () => some('evil'), said: [] },
      { name: 'of a recovery', of: isRecovery, to: () => some('evil'), said: ['label'] },
    ],
    remembered: [
      { name: 'another', of: isSignIn, to: (row) => !row.remembered, said: [] },
      { name: 'of a recovery', of: isRecovery, to: () => true, said: ['remembered'] },
    ],
    first: [
      {
        name: 'another',
        of: isSignIn,
        to: ({ first }) => (isSome(first) ? none : some('vouched_fed')),
        said: ['first'],
      },
      { name: 'of a recovery', of: isRecovery, to: () => some('vouched'), said: ['first'] },
    ],
    expiresAtSeconds: [
      { name: 'later', of: any, to: (row) => row.expiresAtSeconds + 1, said: ['expires_at'] },
    ],
    used: [
      { name: 'used', of: (row) => !row.used, to: () => true, said: ['used'] },
      { name: 'no longer', of: (row) => row.used, to: () => false, said: ['used'] },
    ],
    version: [{ name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] }],
  },
  factors: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    userId: [{ name: 'another user', of: any, to: () => 'eve', said: ['user_id'] }],
    kind: [{ name: 'recovery_codes', of: isTotp, to: () => 'recovery_codes', said: ['kind'] }],
    name: [
      { name: 'another', of: isPresent, to: () => 'evil', said: [] },
      { name: 'kept after the removal', of: isGone, to: () => 'evil', said: ['name'] },
    ],
    material: [
      { name: 'another', of: isPresent, to: () => 'forged secret', said: [] },
      { name: 'forgotten', of: isPresent, to: () => '', said: ['material'] },
      { name: 'kept after the removal', of: isGone, to: () => 'forged secret', said: ['material'] },
    ],
    mark: [
      { name: 'later', of: any, to: (row) => row.mark + 1, said: ['mark'] },
      { name: 'earlier', of: any, to: (row) => row.mark - 1, said: ['mark'] },
    ],
    answered: [{ name: 'another', of: any, to: () => '1.0123456789abcdef', said: [] }],
    counter: [{ name: 'higher', of: any, to: (row) => row.counter + 1, said: ['counter'] }],
    flags: [
      { name: 'others', of: isPresent, to: () => 'uv', said: [] },
      { name: 'kept after the removal', of: isGone, to: () => 'uv', said: ['flags'] },
    ],
    createdAtSeconds: [
      { name: 'earlier', of: any, to: (row) => row.createdAtSeconds - 1, said: ['created_at'] },
    ],
    usedAtSeconds: [
      { name: 'never', of: (row) => isSome(row.usedAtSeconds), to: () => none, said: ['used_at'] },
      { name: 'another time', of: any, to: () => some(1), said: ['used_at'] },
    ],
    removed: [
      { name: 'removed', of: isPresent, to: () => true, said: ['removed'] },
      { name: 'no longer', of: isGone, to: () => false, said: ['removed'] },
    ],
    version: [
      { name: 'lower', of: any, to: (row) => row.version - 1, said: ['version'] },
      { name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] },
    ],
  },
}

function isMailed({ purpose, used }: RowOf<'one_time_tokens'>): boolean {
  return purpose !== 'sign_in' && !used
}
function isSignIn({ purpose, used }: RowOf<'one_time_tokens'>): boolean {
  return purpose === 'sign_in' && !used
}
function isTotp({ kind }: RowOf<'factors'>): boolean {
  return kind === 'totp'
}
function isPresent({ removed }: RowOf<'factors'>): boolean {
  return !removed
}
function isGone({ removed }: RowOf<'factors'>): boolean {
  return removed
}
function isRecovery({ purpose }: RowOf<'one_time_tokens'>): boolean {
  return purpose === 'recovery'
}
function isConfirmation({ purpose }: RowOf<'one_time_tokens'>): boolean {
  return purpose === 'email_confirmation'
}
function isEnabled({ status }: RowOf<'users'>): boolean {
  return status === 'enabled'
}
function isDisabled({ status }: RowOf<'users'>): boolean {
  return status === 'disabled'
}
function isClaimed({ status, passwordRecord }: RowOf<'users'>): boolean {
  return status === 'enabled' && passwordRecord === ''
}
function isRenamed({ attributes }: RowOf<'users'>): boolean {
  return attributes !== ''
}
function isVouched({ methods }: RowOf<'sessions'>): boolean {
  return methods === 'vouched_fed'
}
function isRemoved({ status }: RowOf<'users'>): boolean {
  return status === 'removed'
}
function isAsOpened({ version }: RowOf<'sessions'>): boolean {
  return version === 1
}
function madeAChange({ version, signedOut }: RowOf<'sessions'>): boolean {
  return version === 2 && !signedOut
}
function changedPassword({ passwordChangedAtSeconds }: RowOf<'sessions'>): boolean {
  return isSome(passwordChangedAtSeconds)
}

function wasRenewed({ renewedAtSeconds }: RowOf<'sessions'>): boolean {
  return isSome(renewedAtSeconds)
}

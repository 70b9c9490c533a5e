import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { RowOf } from '../../application/ports/store.ts'
import { type Alterations, any } from './alteration.ts'

/** Changes of applications, signing keys and revoked tokens. */
export const ALTERATIONS_OF_APPLICATIONS: {
  [T in 'applications' | 'keys' | 'revoked_tokens']: Alterations<T>
} = {
  applications: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    name: [{ name: 'another', of: any, to: () => 'evil', said: ['name'] }],
    scope: [
      { name: 'more', of: isRevoked, to: () => ['users:sign_in', 'users:register'], said: ['scope'] },
      { name: 'less', of: wasRotated, to: () => ['users:register'], said: ['scope'] },
      { name: 'none', of: any, to: () => [], said: ['scope'] },
    ],
    keyId: [{ name: 'another', of: any, to: () => 'forged', said: ['key_id'] }],
    keyDigest: [{ name: 'another', of: any, to: () => 'f0'.repeat(32), said: [] }],
    previousKey: [
      { name: 'forgotten', of: wasRotated, to: () => none, said: ['previous_key_id'] },
      {
        name: 'an unknown one',
        of: isRevoked,
        to: () => some({ id: 'forged', digest: 'f0', untilSeconds: 1 }),
        said: ['previous_key_id', 'previous_until'],
      },
      {
        name: 'another',
        of: wasRotated,
        to: (row) => changed(row, { id: 'forged' }),
        said: ['previous_key_id'],
      },
      {
        name: 'extended',
        of: wasRotated,
        to: (row) => changed(row, { untilSeconds: 4_102_444_800 }),
        said: ['previous_until'],
      },
      {
        name: 'one with another digest',
        of: wasRotated,
        to: (row) => changed(row, { digest: 'f0'.repeat(32) }),
        said: [],
      },
    ],
    lifetimes: [
      {
        name: 'longer tokens',
        of: any,
        to: ({ lifetimes }) => ({ ...lifetimes, userTokenTtlSeconds: some(31_536_000) }),
        said: ['user_token_ttl'],
      },
      {
        name: 'a longer idle time',
        of: any,
        to: ({ lifetimes }) => ({ ...lifetimes, idleTtlSeconds: some(31_536_000) }),
        said: ['idle_ttl'],
      },
      {
        name: 'longer remembered sessions',
        of: any,
        to: ({ lifetimes }) => ({ ...lifetimes, rememberTtlSeconds: some(31_536_000) }),
        said: ['remember_ttl'],
      },
      {
        name: 'longer sessions',
        of: any,
        to: ({ lifetimes }) => ({ ...lifetimes, sessionTtlSeconds: some(31_536_000) }),
        said: ['session_ttl'],
      },
    ],
    requiredAssurance: [
      {
        name: 'another',
        of: any,
        to: ({ requiredAssurance }) => (requiredAssurance === 'aal1' ? 'aal2' : 'aal1'),
        said: ['required_assurance'],
      },
    ],
    requiresVerifiedEmail: [
      {
        name: 'another',
        of: any,
        to: ({ requiresVerifiedEmail }) => !requiresVerifiedEmail,
        said: ['require_verified_email'],
      },
    ],
    passkeyOrigins: [
      {
        name: 'one more',
        of: any,
        to: ({ passkeyOrigins }) => [...passkeyOrigins, 'https://evil.example'],
        said: ['passkey_origins'],
      },
    ],
    returnUrls: [
      {
        name: 'one more',
        of: any,
        to: ({ returnUrls }) => [...returnUrls, 'https://evil.example/'],
        said: ['return_urls'],
      },
    ],
    redirectUris: [
      {
        name: 'one more',
        of: any,
        to: ({ redirectUris }) => [...redirectUris, 'https://evil.example/'],
        said: ['redirect_uris'],
      },
    ],
    logoutUris: [
      {
        name: 'one more',
        of: any,
        to: ({ logoutUris }) => [...logoutUris, 'https://evil.example/'],
        said: ['logout_uris'],
      },
    ],
    clientKind: [
      {
        name: 'another',
        of: any,
        to: ({ clientKind }) => (clientKind === 'public' ? 'confidential' : 'public'),
        said: ['client_kind'],
      },
    ],
    requiresPkce: [
      {
        name: 'another',
        of: any,
        to: ({ requiresPkce }) => !requiresPkce,
        said: ['requires_pkce'],
      },
    ],
    revoked: [
      { name: 'no longer', of: isRevoked, to: () => false, said: ['revoked'] },
      { name: 'revoked', of: (row) => !row.revoked, to: () => true, said: ['revoked'] },
    ],
    version: [
      { name: 'lower', of: any, to: (row) => row.version - 1, said: ['version'] },
      { name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] },
    ],
  },
  keys: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: [] }],
    kid: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    purpose: [
      {
        name: 'application',
        of: (row) => row.purpose === 'user',
        to: () => 'application',
        said: ['purpose'],
      },
      { name: 'user', of: (row) => row.purpose === 'application', to: () => 'user', said: ['purpose'] },
    ],
    material: [
      { name: 'forgotten', of: (row) => !row.retired, to: () => '', said: ['secret'] },
      { name: 'back again', of: (row) => row.retired, to: () => 'forged secret', said: ['secret'] },
      { name: 'another', of: (row) => !row.retired, to: () => 'forged secret', said: [] },
    ],
    createdAtSeconds: [{ name: 'later', of: any, to: (row) => row.createdAtSeconds + 1, said: [] }],
    signsFromSeconds: [{ name: 'later', of: any, to: (row) => row.signsFromSeconds + 1, said: [] }],
    retiresAtSeconds: [{ name: 'some time', of: any, to: () => some(4_102_444_800), said: [] }],
    retired: [
      { name: 'retired', of: (row) => !row.retired, to: () => true, said: ['retired'] },
      { name: 'no longer', of: (row) => row.retired, to: () => false, said: ['retired'] },
    ],
    version: [{ name: 'higher', of: any, to: (row) => row.version + 1, said: [] }],
  },
  revoked_tokens: {
    id: [{ name: 'another', of: any, to: () => 'forged', said: ['the row'] }],
    applicationId: [{ name: 'another', of: any, to: () => 'forged', said: ['application_id'] }],
    expiresAtSeconds: [
      { name: 'later', of: any, to: (row) => row.expiresAtSeconds + 1, said: ['expires_at'] },
      { name: 'earlier', of: any, to: () => 1, said: ['expires_at'] },
    ],
    version: [{ name: 'higher', of: any, to: (row) => row.version + 1, said: ['version'] }],
  },
}

function isRevoked({ revoked }: RowOf<'applications'>): boolean {
  return revoked
}
function wasRotated({ previousKey }: RowOf<'applications'>): boolean {
  return isSome(previousKey)
}
function changed(
  { previousKey }: RowOf<'applications'>,
  fields: Partial<{ id: string; digest: string; untilSeconds: number }>,
) {
  return isSome(previousKey) ? some({ ...previousKey.value, ...fields }) : none
}

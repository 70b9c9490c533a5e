import { some } from 'fp-ts/lib/Option.js'
import { KEY, OLD_KEY, OLD_SHOP, SHOP } from './facts-entities.ts'
import type { Expected } from './facts-of-users.ts'

export const FACTS_OF_OTHERS: ReadonlyArray<Expected> = [
  [
    { _tag: 'ApplicationRegistered', application: SHOP },
    {
      type: 'ApplicationRegistered',
      version: 2,
      subject: { kind: 'application', id: 'shop' },
      data: {
        name: 'The shop',
        scope: 'users:sign_in users:register',
        user_token_ttl: null,
        session_ttl: 86_400,
        required_assurance: 'aal2',
        key_id: 'key',
      },
    },
    [{ table: 'applications', row: { ...SHOP, version: 1 } }],
  ],
  [
    {
      _tag: 'ApplicationTokenIssued',
      applicationId: 'shop',
      keyId: 'key',
      tokenId: 'token',
      expiresAtSeconds: 1_800_000_000,
    },
    {
      type: 'ApplicationTokenIssued',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { token_id: 'token', key_id: 'key', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [],
  ],
  [
    { _tag: 'RecoveryRefused', userId: undefined, codes: [4] },
    {
      type: 'RecoveryRefused',
      version: 2,
      subject: { kind: 'service', id: 'portcullis' },
      data: { codes: [4] },
    },
    [],
  ],
  [
    { _tag: 'RegistrationRefused', applicationId: 'shop', codes: [1, 2] },
    {
      type: 'RegistrationRefused',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { codes: [1, 2] },
    },
    [],
  ],
  [
    { _tag: 'EmailConfirmationRefused', userId: undefined, codes: [4] },
    {
      type: 'EmailConfirmationRefused',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { codes: [4] },
    },
    [],
  ],
  [
    { _tag: 'SigningKeyCreated', key: KEY, superseded: [] },
    {
      type: 'SigningKeyCreated',
      version: 1,
      subject: { kind: 'key', id: 'kid' },
      data: { purpose: 'user' },
    },
    [{ table: 'keys', row: { ...KEY, version: 1 } }],
  ],
  [
    { _tag: 'SigningKeyCreated', key: KEY, superseded: [OLD_KEY] },
    {
      type: 'SigningKeyCreated',
      version: 1,
      subject: { kind: 'key', id: 'kid' },
      data: { purpose: 'user' },
    },
    [
      { table: 'keys', row: { ...KEY, version: 1 } },
      { table: 'keys', row: { ...OLD_KEY, version: 4 } },
    ],
  ],
  [
    { _tag: 'SigningKeyRetired', key: OLD_KEY },
    { type: 'SigningKeyRetired', version: 1, subject: { kind: 'key', id: 'old kid' }, data: {} },
    [{ table: 'keys', row: { ...OLD_KEY, retired: true, material: '', version: 4 } }],
  ],
  [
    {
      _tag: 'SigningKeyReencrypted',
      key: OLD_KEY,
      material: 'wrapped secret',
      keyEncryptionKeyId: '2026',
    },
    {
      type: 'SigningKeyReencrypted',
      version: 1,
      subject: { kind: 'key', id: 'old kid' },
      data: { key_encryption_key_id: '2026' },
    },
    [{ table: 'keys', row: { ...OLD_KEY, material: 'wrapped secret', version: 4 } }],
  ],
  [
    {
      _tag: 'ApplicationKeyRotated',
      application: OLD_SHOP,
      key: { id: 'new key', digest: 'new secret digest' },
      previousUntilSeconds: 1_800_000_000,
    },
    {
      type: 'ApplicationKeyRotated',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { key_id: 'new key', previous_key_id: 'key', previous_until: '2027-01-15T08:00:00.000Z' },
    },
    [
      {
        table: 'applications',
        row: {
          ...OLD_SHOP,
          keyId: 'new key',
          keyDigest: 'new secret digest',
          previousKey: some({ id: 'key', digest: 'secret digest', untilSeconds: 1_800_000_000 }),
          version: 5,
        },
      },
    ],
  ],
  [
    { _tag: 'ApplicationChanged', application: OLD_SHOP },
    {
      type: 'ApplicationChanged',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: {
        name: 'The shop',
        scope: 'users:sign_in users:register',
        user_token_ttl: null,
        session_ttl: 86_400,
        required_assurance: 'aal2',
      },
    },
    [{ table: 'applications', row: { ...OLD_SHOP, version: 5 } }],
  ],
  [
    { _tag: 'PasskeyOriginsSet', application: OLD_SHOP, origins: [] },
    {
      type: 'PasskeyOriginsSet',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { origins: [] },
    },
    [{ table: 'applications', row: { ...OLD_SHOP, passkeyOrigins: [], version: 5 } }],
  ],
  [
    { _tag: 'ApplicationRevoked', application: OLD_SHOP },
    { type: 'ApplicationRevoked', version: 1, subject: { kind: 'application', id: 'shop' }, data: {} },
    [{ table: 'applications', row: { ...OLD_SHOP, revoked: true, version: 5 } }],
  ],
  [
    { _tag: 'ApplicationTokenRefused', applicationId: 'shop', reason: 'wrong_private_key' },
    {
      type: 'ApplicationTokenRefused',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { reason: 'wrong_private_key' },
    },
    [],
  ],
  [
    { _tag: 'ApplicationTokenRefused', applicationId: undefined, reason: 'malformed_key' },
    {
      type: 'ApplicationTokenRefused',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'malformed_key' },
    },
    [],
  ],
  [
    { _tag: 'SignInRefused', userId: 'ada', reason: 'user_disabled' },
    {
      type: 'SignInRefused',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { reason: 'user_disabled' },
    },
    [],
  ],
  [
    { _tag: 'SignInRefused', userId: undefined, reason: 'unknown_email' },
    {
      type: 'SignInRefused',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'unknown_email' },
    },
    [],
  ],
  [
    { _tag: 'PasswordChangeRefused', userId: 'ada', codes: [4, 5] },
    {
      type: 'PasswordChangeRefused',
      version: 2,
      subject: { kind: 'user', id: 'ada' },
      data: { codes: [4, 5] },
    },
    [],
  ],
  [
    {
      _tag: 'RefusalsSummarized',
      type: 'SignInRefused',
      count: 1234,
      fromMilliseconds: 1_772_366_400_123,
      toMilliseconds: 1_772_366_459_999,
      reasons: new Map([
        ['user_disabled', 4],
        ['wrong_password', 1230],
      ]),
      subjects: new Map(Array.from({ length: 11 }, (_, index) => [`user-${index}`, 100 + index])),
    },
    {
      type: 'RefusalsSummarized',
      version: 2,
      subject: { kind: 'service', id: 'portcullis' },
      data: {
        type: 'SignInRefused',
        count: 1234,
        from: '2026-03-01T12:00:00.123Z',
        to: '2026-03-01T12:00:59.999Z',
        reasons: [
          { reason: 'wrong_password', count: 1230 },
          { reason: 'user_disabled', count: 4 },
        ],
        subjects: Array.from({ length: 10 }, (_, index) => ({
          id: `user-${10 - index}`,
          count: 110 - index,
        })),
      },
    },
    [],
  ],
  [
    { _tag: 'UsersExported', count: 1_234 },
    {
      type: 'UsersExported',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { count: 1_234 },
    },
    [],
  ],
  [
    { _tag: 'LogRenewed', ended: { epoch: '3fa81c02', size: 1233 } },
    {
      type: 'LogRenewed',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { previous_origin: '3fa81c02', size: 1233 },
    },
    [],
  ],
  [
    {
      _tag: 'LogPruned',
      pruning: { before: '2026-03-01T12:00:00.000Z', through: 1_000, entries: 900 },
    },
    {
      type: 'LogPruned',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { before: '2026-03-01T12:00:00.000Z', through: 1_000, entries: 900 },
    },
    [],
  ],
  [
    {
      _tag: 'ApplicationTokenRevoked',
      token: { id: 'token', applicationId: 'shop', expiresAtSeconds: 1_800_000_000 },
    },
    {
      type: 'ApplicationTokenRevoked',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { token_id: 'token' },
    },
    [
      {
        table: 'revoked_tokens',
        row: { id: 'token', applicationId: 'shop', expiresAtSeconds: 1_800_000_000, version: 1 },
      },
    ],
  ],
]

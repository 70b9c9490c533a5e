import { none, some } from 'fp-ts/lib/Option.js'
import type { Factor } from '../../domain/factor.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import { ADA, NEW_SESSION, SESSION, TOKEN } from './facts-entities.ts'
import type { Expected } from './facts-of-users.ts'

const AT_SECONDS = 1_772_366_400

const SIGN_IN: OneTimeToken = { ...TOKEN, purpose: 'sign_in', email: '', label: some('Firefox on Linux') }

const TOTP: Factor = {
  id: 'factor',
  userId: 'ada',
  kind: 'totp',
  name: 'secret name',
  material: 'secret material',
  mark: 58_910_801,
  counter: 0,
  flags: '',
  createdAtSeconds: 1_700_000_000,
  usedAtSeconds: some(1_700_000_009),
  removed: false,
  version: 3,
}
const CODES: Factor = {
  ...TOTP,
  id: 'codes',
  kind: 'recovery_codes',
  name: '',
  material: 'secret digests',
  mark: 0,
  counter: 10,
  usedAtSeconds: none,
}
const PASSKEY: Factor = {
  ...TOTP,
  id: 'passkey',
  kind: 'passkey',
  material: 'secret credential',
  counter: 4_294_967_295,
}

const RAISED = { table: 'users', row: { ...ADA, passwordVersion: 4, version: 8 } } as const
const MOVED = { table: 'sessions', row: { ...SESSION, passwordVersion: 4, version: 3 } } as const
const GONE = { name: '', material: '', removed: true, version: 4 } as const

const NEW = { createdAtSeconds: AT_SECONDS, usedAtSeconds: none, removed: false } as const
const subject = { kind: 'user', id: 'ada' } as const

export const FACTS_OF_FACTORS: ReadonlyArray<Expected> = [
  [
    { _tag: 'SecondFactorRequested', token: SIGN_IN },
    {
      type: 'SecondFactorRequested',
      version: 1,
      subject,
      data: { token_id: 'token', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [{ table: 'one_time_tokens', row: SIGN_IN }],
  ],
  [
    { _tag: 'UserSignedIn', session: { ...NEW_SESSION, methods: some('password totp') }, token: SIGN_IN },
    {
      type: 'UserSignedIn',
      version: 2,
      subject,
      data: {
        session_id: 'session',
        expires_at: '2027-01-15T08:00:00.000Z',
        ends_at: '2030-03-17T17:46:40.000Z',
        amr: ['pwd', 'otp', 'mfa'],
        token_id: 'token',
      },
    },
    [
      {
        table: 'sessions',
        row: {
          ...NEW_SESSION,
          methods: some('password totp'),
          createdAtSeconds: some(AT_SECONDS),
          renewedAtSeconds: none,
          applicationId: some('shop'),
          version: 1,
        },
      },
      {
        table: 'one_time_tokens',
        row: { ...SIGN_IN, emailOnRecord: '', label: none, used: true, version: 2 },
      },
    ],
  ],
  [
    { _tag: 'FactorEnrolled', user: ADA, session: SESSION, factor: { ...TOTP, version: 0 } },
    {
      type: 'FactorEnrolled',
      version: 1,
      subject,
      data: {
        factor_id: 'factor',
        kind: 'totp',
        mark: 58_910_801,
        password_version: 4,
        session_id: 'session',
      },
    },
    [RAISED, MOVED, { table: 'factors', row: { ...TOTP, ...NEW, version: 1 } }],
  ],
  [
    { _tag: 'FactorEnrolled', user: ADA, factor: { ...PASSKEY, version: 0 } },
    {
      type: 'FactorEnrolled',
      version: 1,
      subject,
      data: {
        factor_id: 'passkey',
        kind: 'passkey',
        mark: 58_910_801,
        counter: 4_294_967_295,
        password_version: 4,
      },
    },
    [RAISED, { table: 'factors', row: { ...PASSKEY, ...NEW, version: 1 } }],
  ],
  [
    { _tag: 'FactorImported', factor: { ...TOTP, mark: 0, version: 0 } },
    { type: 'FactorImported', version: 1, subject, data: { factor_id: 'factor', kind: 'totp' } },
    [{ table: 'factors', row: { ...TOTP, ...NEW, mark: 0, version: 1 } }],
  ],
  [
    { _tag: 'FactorImported', factor: { ...PASSKEY, mark: 0, version: 0 } },
    {
      type: 'FactorImported',
      version: 1,
      subject,
      data: { factor_id: 'passkey', kind: 'passkey', counter: 4_294_967_295 },
    },
    [{ table: 'factors', row: { ...PASSKEY, ...NEW, mark: 0, version: 1 } }],
  ],
  [
    { _tag: 'RecoveryCodesGenerated', user: ADA, session: SESSION, codes: CODES },
    {
      type: 'RecoveryCodesGenerated',
      version: 1,
      subject,
      data: { factor_id: 'codes', count: 10, password_version: 4, session_id: 'session' },
    },
    [RAISED, MOVED, { table: 'factors', row: { ...CODES, ...NEW, version: 4 } }],
  ],
  [
    { _tag: 'FactorRemoved', user: ADA, factor: TOTP, factors: [CODES, TOTP] },
    {
      type: 'FactorRemoved',
      version: 1,
      subject,
      data: { factor_id: 'factor', kind: 'totp', password_version: 4 },
    },
    [
      RAISED,
      { table: 'factors', row: { ...CODES, ...GONE } },
      { table: 'factors', row: { ...TOTP, ...GONE } },
    ],
  ],
  [
    { _tag: 'FactorsReset', user: ADA, factors: [CODES, TOTP] },
    {
      type: 'FactorsReset',
      version: 1,
      subject,
      data: { factor_ids: ['codes', 'factor'], password_version: 4 },
    },
    [
      RAISED,
      { table: 'factors', row: { ...CODES, ...GONE } },
      { table: 'factors', row: { ...TOTP, ...GONE } },
    ],
  ],
  [
    { _tag: 'FactorUsed', factor: TOTP },
    {
      type: 'FactorUsed',
      version: 1,
      subject,
      data: { factor_id: 'factor', kind: 'totp', mark: 58_910_801 },
    },
    [{ table: 'factors', row: { ...TOTP, usedAtSeconds: some(AT_SECONDS), version: 4 } }],
  ],
  [
    { _tag: 'FactorUsed', factor: { ...CODES, counter: 9 } },
    {
      type: 'FactorUsed',
      version: 1,
      subject,
      data: { factor_id: 'codes', kind: 'recovery_codes', mark: 0, codes_left: 9 },
    },
    [{ table: 'factors', row: { ...CODES, counter: 9, usedAtSeconds: some(AT_SECONDS), version: 4 } }],
  ],
  [
    { _tag: 'FactorUsed', factor: PASSKEY, counterWentBack: true },
    {
      type: 'FactorUsed',
      version: 1,
      subject,
      data: {
        factor_id: 'passkey',
        kind: 'passkey',
        mark: 58_910_801,
        counter: 4_294_967_295,
        counter_went_back: true,
      },
    },
    [{ table: 'factors', row: { ...PASSKEY, usedAtSeconds: some(AT_SECONDS), version: 4 } }],
  ],
  [
    { _tag: 'FactorReencrypted', factor: { ...TOTP, material: 'wrapped' }, keyEncryptionKeyId: '2027' },
    {
      type: 'FactorReencrypted',
      version: 1,
      subject,
      data: { factor_id: 'factor', key_encryption_key_id: '2027' },
    },
    [{ table: 'factors', row: { ...TOTP, material: 'wrapped', version: 4 } }],
  ],
  [
    { _tag: 'FactorRenamed', factor: TOTP },
    { type: 'FactorRenamed', version: 1, subject, data: { factor_id: 'factor' } },
    [{ table: 'factors', row: { ...TOTP, version: 4 } }],
  ],
  [
    { _tag: 'UserRemoved', user: ADA, factors: [CODES, TOTP] },
    { type: 'UserRemoved', version: 1, subject, data: {} },
    [
      {
        table: 'users',
        row: {
          ...ADA,
          email: 'ada',
          passwordRecord: '',
          passwordScheme: '',
          passwordVersion: 4,
          status: 'removed',
          createdAtSeconds: none,
          version: 8,
        },
      },
      { table: 'factors', row: { ...CODES, ...GONE } },
      { table: 'factors', row: { ...TOTP, ...GONE } },
    ],
  ],
  [
    { _tag: 'SecondFactorRefused', userId: 'ada', reason: 'used_code' },
    { type: 'SecondFactorRefused', version: 1, subject, data: { reason: 'used_code' } },
    [],
  ],
  [
    { _tag: 'SecondFactorRefused', userId: undefined, reason: 'token_ended' },
    {
      type: 'SecondFactorRefused',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'token_ended' },
    },
    [],
  ],
]

import { none, some } from 'fp-ts/lib/Option.js'
import type { Row } from '../../application/ports/store.ts'
import type { Fact } from '../../application/recording/facts.ts'
import type { Event } from '../../domain/event.ts'
import { ADA, GRACE, OLD_SHOP, SESSION, TOKEN, USED_TOKEN } from './facts-entities.ts'

/** A fact, and the event and rows that it must become. */
export type Expected = readonly [fact: Fact, event: Event, rows: ReadonlyArray<Row>]

export const FACTS_OF_USERS: ReadonlyArray<Expected> = [
  [
    { _tag: 'UserRegistered', user: GRACE },
    {
      type: 'UserRegistered',
      version: 2,
      subject: { kind: 'user', id: 'grace' },
      data: { password_digest: 'digest of first record', email_verified: false },
    },
    [{ table: 'users', row: { ...GRACE, createdAtSeconds: some(1_772_366_400), version: 1 } }],
  ],
  [
    {
      _tag: 'UserImported',
      user: { ...GRACE, emailVerified: true },
      createdAtSeconds: 1_600_000_000,
    },
    {
      type: 'UserImported',
      version: 1,
      subject: { kind: 'user', id: 'grace' },
      data: {
        password_digest: 'digest of first record',
        scheme: 'first scheme',
        email_verified: true,
        created_at: '2020-09-13T12:26:40.000Z',
      },
    },
    [
      {
        table: 'users',
        row: { ...GRACE, emailVerified: true, createdAtSeconds: some(1_600_000_000), version: 1 },
      },
    ],
  ],
  [
    { _tag: 'RecoveryStarted', token: TOKEN },
    {
      type: 'RecoveryStarted',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { token_id: 'token', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [{ table: 'one_time_tokens', row: TOKEN }],
  ],
  [
    { _tag: 'EmailConfirmationStarted', token: TOKEN },
    {
      type: 'EmailConfirmationStarted',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { token_id: 'token', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [{ table: 'one_time_tokens', row: TOKEN }],
  ],
  [
    {
      _tag: 'PasswordRecovered',
      user: ADA,
      token: TOKEN,
      application: OLD_SHOP,
      password: { record: 'recovered record', scheme: 'recovered scheme' },
    },
    {
      type: 'PasswordRecovered',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4, password_digest: 'digest of recovered record', token_id: 'token' },
    },
    [
      {
        table: 'users',
        row: {
          ...ADA,
          emailVerified: true,
          passwordRecord: 'recovered record',
          passwordScheme: 'recovered scheme',
          passwordVersion: 4,
          version: 8,
        },
      },
      { table: 'one_time_tokens', row: USED_TOKEN },
    ],
  ],
  [
    { _tag: 'EmailConfirmed', user: ADA, token: TOKEN, application: OLD_SHOP },
    {
      type: 'EmailConfirmed',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { token_id: 'token', changed: true },
    },
    [
      {
        table: 'users',
        row: { ...ADA, email: 'new@example.com', emailVerified: true, emailVersion: 3, version: 8 },
      },
      { table: 'one_time_tokens', row: USED_TOKEN },
    ],
  ],
  [
    {
      _tag: 'PasswordChanged',
      user: ADA,
      session: SESSION,
      password: { record: 'new record', scheme: 'new scheme' },
    },
    {
      type: 'PasswordChanged',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4, password_digest: 'digest of new record', session_id: 'session' },
    },
    [
      {
        table: 'users',
        row: {
          ...ADA,
          passwordRecord: 'new record',
          passwordScheme: 'new scheme',
          passwordVersion: 4,
          version: 8,
        },
      },
      { table: 'sessions', row: { ...SESSION, passwordVersion: 4, version: 3 } },
    ],
  ],
  [
    { _tag: 'UserDisabled', user: ADA },
    { type: 'UserDisabled', version: 1, subject: { kind: 'user', id: 'ada' }, data: {} },
    [{ table: 'users', row: { ...ADA, status: 'disabled', passwordVersion: 4, version: 8 } }],
  ],
  [
    { _tag: 'UserEnabled', user: { ...ADA, status: 'disabled' } },
    { type: 'UserEnabled', version: 1, subject: { kind: 'user', id: 'ada' }, data: {} },
    [{ table: 'users', row: { ...ADA, version: 8 } }],
  ],
  [
    { _tag: 'UserRemoved', user: ADA, factors: [] },
    { type: 'UserRemoved', version: 1, subject: { kind: 'user', id: 'ada' }, data: {} },
    [
      {
        table: 'users',
        row: {
          id: 'ada',
          email: 'ada',
          emailVerified: false,
          emailVersion: 2,
          passwordRecord: '',
          passwordScheme: '',
          passwordVersion: 4,
          status: 'removed',
          createdAtSeconds: none,
          version: 8,
        },
      },
    ],
  ],
  [
    { _tag: 'PasswordSet', user: ADA, password: { record: 'set record', scheme: 'set scheme' } },
    {
      type: 'PasswordSet',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4, password_digest: 'digest of set record' },
    },
    [
      {
        table: 'users',
        row: {
          ...ADA,
          passwordRecord: 'set record',
          passwordScheme: 'set scheme',
          passwordVersion: 4,
          version: 8,
        },
      },
    ],
  ],
  [
    {
      _tag: 'PasswordRehashed',
      user: ADA,
      password: { record: 'stronger record', scheme: 'stronger scheme' },
    },
    {
      type: 'PasswordRehashed',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_digest: 'digest of stronger record' },
    },
    [
      {
        table: 'users',
        row: { ...ADA, passwordRecord: 'stronger record', passwordScheme: 'stronger scheme', version: 8 },
      },
    ],
  ],
]

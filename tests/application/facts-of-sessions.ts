import { none, some } from 'fp-ts/lib/Option.js'
import { ADA, NEW_SESSION, OLD_SHOP, SESSION } from './facts-entities.ts'
import type { Expected } from './facts-of-users.ts'

export const FACTS_OF_SESSIONS: ReadonlyArray<Expected> = [
  [
    { _tag: 'UserSignedIn', session: NEW_SESSION },
    {
      type: 'UserSignedIn',
      version: 2,
      subject: { kind: 'user', id: 'ada' },
      data: {
        session_id: 'session',
        expires_at: '2027-01-15T08:00:00.000Z',
        ends_at: '2030-03-17T17:46:40.000Z',
        amr: ['pwd'],
      },
    },
    [
      {
        table: 'sessions',
        row: {
          ...NEW_SESSION,
          createdAtSeconds: some(1_772_366_400),
          renewedAtSeconds: none,
          applicationId: some('shop'),
          version: 1,
        },
      },
    ],
  ],
  [
    { _tag: 'UserSignedOut', session: SESSION },
    {
      type: 'UserSignedOut',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { session_id: 'session' },
    },
    [{ table: 'sessions', row: { ...SESSION, label: none, signedOut: true, version: 3 } }],
  ],
  [
    {
      _tag: 'SessionRenewed',
      session: SESSION,
      user: ADA,
      application: OLD_SHOP,
      expiresAtSeconds: 1_850_000_000,
    },
    {
      type: 'SessionRenewed',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { session_id: 'session', expires_at: '2028-08-16T00:53:20.000Z' },
    },
    [
      {
        table: 'sessions',
        row: {
          ...SESSION,
          expiresAtSeconds: 1_850_000_000,
          renewedAtSeconds: some(1_772_366_400),
          version: 3,
        },
      },
    ],
  ],
  [
    {
      _tag: 'SessionSteppedUp',
      session: SESSION,
      user: ADA,
      application: OLD_SHOP,
      methods: 'password totp',
      authenticatedAtSeconds: 1_772_366_399,
    },
    {
      type: 'SessionSteppedUp',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { session_id: 'session', amr: ['pwd', 'otp', 'mfa'] },
    },
    [
      {
        table: 'sessions',
        row: {
          ...SESSION,
          methods: some('password totp'),
          authenticatedAtSeconds: some(1_772_366_399),
          version: 3,
        },
      },
    ],
  ],
  [
    { _tag: 'SessionsEnded', user: ADA },
    {
      type: 'SessionsEnded',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4 },
    },
    [{ table: 'users', row: { ...ADA, passwordVersion: 4, version: 8 } }],
  ],
  [
    { _tag: 'OtherSessionsEnded', user: ADA, session: SESSION },
    {
      type: 'OtherSessionsEnded',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4, session_id: 'session' },
    },
    [
      { table: 'users', row: { ...ADA, passwordVersion: 4, version: 8 } },
      { table: 'sessions', row: { ...SESSION, passwordVersion: 4, version: 3 } },
    ],
  ],
]

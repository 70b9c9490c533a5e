import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Row } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import {
  type Fact,
  type NewSession,
  type NewUser,
  toChange,
  type Unwritten,
} from '../../application/recording/facts.ts'
import type { Application } from '../../domain/application.ts'
import type { Event } from '../../domain/event.ts'
import type { OneTimeToken } from '../../domain/one-time-token.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { User } from '../../domain/user.ts'
import { countingRandom, uuid } from './fakes.ts'

const ADA: User = {
  id: 'ada',
  email: 'Ada@Example.com',
  emailVerified: false,
  passwordRecord: 'old record',
  passwordScheme: 'old scheme',
  passwordVersion: 3,
  status: 'enabled',
  createdAtSeconds: some(1_600_000_000),
  version: 7,
}
const NEW_SESSION: NewSession = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 3,
  expiresAtSeconds: 1_800_000_000,
  signedOut: false,
}
/** Opened earlier, by another application than the one that acts now. */
const SESSION: Session = {
  ...NEW_SESSION,
  createdAtSeconds: some(1_700_000_000),
  applicationId: some('another shop'),
  version: 2,
}
const SHOP: Unwritten<Application> = {
  id: 'shop',
  name: 'The shop',
  scope: ['users:sign_in', 'users:register'],
  keyId: 'key',
  keyDigest: 'secret digest',
  previousKey: none,
  revoked: false,
}
const TOKEN: OneTimeToken = {
  id: 'token',
  purpose: 'email_confirmation',
  digest: 'secret token digest',
  userId: 'ada',
  applicationId: 'shop',
  passwordVersion: 3,
  emailOnRecord: 'Ada@Example.com',
  email: 'new@example.com',
  expiresAtSeconds: 1_800_000_000,
  used: false,
  version: 1,
}
const USED_TOKEN: OneTimeToken = { ...TOKEN, emailOnRecord: '', email: '', used: true, version: 2 }
const GRACE: NewUser = {
  id: 'grace',
  email: 'Grace@Example.com',
  emailVerified: false,
  passwordRecord: 'first record',
  passwordScheme: 'first scheme',
  passwordVersion: 1,
  status: 'enabled',
}
const KEY: Unwritten<SigningKey> = {
  id: 'user-1',
  kid: 'kid',
  purpose: 'user',
  material: 'secret',
  createdAtSeconds: 5,
  signsFromSeconds: 605,
  retiresAtSeconds: none,
  retired: false,
}
/** A key that was already rotated. */
const OLD_SHOP: Application = {
  ...SHOP,
  previousKey: some({ id: 'first key', digest: 'first secret digest', untilSeconds: 1 }),
  version: 4,
}
const OLD_KEY: SigningKey = {
  ...KEY,
  id: 'user-0',
  kid: 'old kid',
  retiresAtSeconds: some(1_800_000_000),
  version: 3,
}

const TABLE: ReadonlyArray<readonly [fact: Fact, event: Event, rows: ReadonlyArray<Row>]> = [
  [
    { _tag: 'ApplicationRegistered', application: SHOP },
    {
      type: 'ApplicationRegistered',
      version: 1,
      subject: { kind: 'application', id: 'shop' },
      data: { name: 'The shop', scope: 'users:sign_in users:register', key_id: 'key' },
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
    { _tag: 'EmailConfirmed', user: ADA, token: TOKEN },
    {
      type: 'EmailConfirmed',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { token_id: 'token', changed: true },
    },
    [
      { table: 'users', row: { ...ADA, email: 'new@example.com', emailVerified: true, version: 8 } },
      { table: 'one_time_tokens', row: USED_TOKEN },
    ],
  ],
  [
    { _tag: 'RecoveryRefused', userId: undefined, codes: [4] },
    {
      type: 'RecoveryRefused',
      version: 1,
      subject: { kind: 'service', id: 'portcullis' },
      data: { codes: [4] },
    },
    [],
  ],
  [
    { _tag: 'UserSignedIn', session: NEW_SESSION },
    {
      type: 'UserSignedIn',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { session_id: 'session', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [
      {
        table: 'sessions',
        row: {
          ...NEW_SESSION,
          createdAtSeconds: some(1_772_366_400),
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
    [{ table: 'sessions', row: { ...SESSION, signedOut: true, version: 3 } }],
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
    { _tag: 'ApplicationRevoked', application: OLD_SHOP },
    { type: 'ApplicationRevoked', version: 1, subject: { kind: 'application', id: 'shop' }, data: {} },
    [{ table: 'applications', row: { ...OLD_SHOP, revoked: true, version: 5 } }],
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
    { _tag: 'UserRemoved', user: ADA },
    { type: 'UserRemoved', version: 1, subject: { kind: 'user', id: 'ada' }, data: {} },
    [
      {
        table: 'users',
        row: {
          id: 'ada',
          email: 'ada',
          emailVerified: false,
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
      version: 1,
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

const circumstances = (requestId?: string) => ({
  actor: { kind: 'application', id: 'shop' } as const,
  requestId,
  atMilliseconds: 1_772_366_400_123,
  uuid: countingRandom().uuid,
  sha256: (text: string) => `digest of ${text}`,
})

const WRITTEN = {
  id: uuid(1),
  at: '2026-03-01T12:00:00.123Z',
  actor: { kind: 'application', id: 'shop' },
  request_id: 'request-1',
}

/** Returns the name of a fact in the titles. Some facts have two rows in the table. */
const nameOf = (fact: Fact): string => {
  if ('superseded' in fact && fact.superseded.length > 0) return `${fact._tag} with an older key`
  if ('applicationId' in fact && fact.applicationId === undefined) return `${fact._tag} of an unknown caller`
  if ('userId' in fact && fact.userId === undefined) return `${fact._tag} of an unknown user`
  return fact._tag
}

describe('the table of facts', () => {
  it('has every type of event', () => {
    expect([...new Set(TABLE.map(([, { type }]) => type))]).to.have.members([...EVENT_TYPES])
  })
})

describe('a fact', () => {
  for (const [fact, event, rows] of TABLE) {
    it(`${nameOf(fact)} becomes its event and ${rows.length} rows`, () => {
      expect(toChange([fact], circumstances('request-1'))).to.deep.equal({
        id: uuid(1),
        events: [{ ...event, ...WRITTEN }],
        rows,
      })
    })
  }

  it('without a request has no request_id', () => {
    const { events } = toChange([{ _tag: 'UserSignedOut', session: SESSION }], circumstances())
    expect(events[0]).to.not.have.property('request_id')
  })
})

describe('a session', () => {
  it('records no application if the actor is none', () => {
    const { rows } = toChange([{ _tag: 'UserSignedIn', session: NEW_SESSION }], {
      ...circumstances(),
      actor: { kind: 'operator' },
    })
    expect(rows[0]?.row).to.deep.include({ applicationId: none })
  })
})

describe('several facts', () => {
  it('make one change: all events in their order, each with its own id, and all rows', () => {
    const of = (type: Fact['_tag']) => TABLE.find(([fact]) => fact._tag === type)
    const [signedOut, changed] = [of('UserSignedOut'), of('PasswordChanged')]
    if (signedOut === undefined || changed === undefined) throw new Error('the table has neither')
    const change = toChange([changed[0], signedOut[0]], circumstances())
    expect(change.id).to.equal(uuid(1))
    expect(change.events.map(({ id, type }) => [id, type])).to.deep.equal([
      [uuid(1), 'PasswordChanged'],
      [uuid(2), 'UserSignedOut'],
    ])
    expect(change.rows).to.deep.equal([...changed[2], ...signedOut[2]])
  })
})

describe('the log', () => {
  for (const [fact] of TABLE) {
    it(`learns no secret and no e-mail of ${nameOf(fact)}`, () => {
      const text = JSON.stringify(toChange([fact], { ...circumstances(), sha256: () => '5ha256' }).events)
      expect(text).to.not.match(/secret|record|@/)
    })
  }
})

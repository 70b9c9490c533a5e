import { expect } from 'chai'
import { type Fact, toChange, type Unwritten } from '../../application/facts.ts'
import type { Row } from '../../application/ports/store.ts'
import type { Application } from '../../domain/application.ts'
import type { Event } from '../../domain/event.ts'
import type { Session } from '../../domain/session.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { User } from '../../domain/user.ts'
import { countingRandom, uuid } from './fakes.ts'

const ADA: User = {
  id: 'ada',
  email: 'Ada@Example.com',
  passwordRecord: 'old record',
  passwordVersion: 3,
  version: 7,
}
const NEW_SESSION: Unwritten<Session> = {
  id: 'session',
  userId: 'ada',
  passwordVersion: 3,
  expiresAtSeconds: 1_800_000_000,
  signedOut: false,
}
const SESSION: Session = { ...NEW_SESSION, version: 2 }
const SHOP: Unwritten<Application> = {
  id: 'shop',
  name: 'The shop',
  scope: ['users:sign_in', 'users:register'],
  keyId: 'key',
  keyDigest: 'secret digest',
}
const GRACE: Unwritten<User> = {
  id: 'grace',
  email: 'Grace@Example.com',
  passwordRecord: 'first record',
  passwordVersion: 1,
}
const KEY: Unwritten<SigningKey> = {
  id: 'user-1',
  kid: 'kid',
  purpose: 'user',
  material: 'secret',
  createdAtSeconds: 5,
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
      version: 1,
      subject: { kind: 'user', id: 'grace' },
      data: { password_digest: 'digest of first record' },
    },
    [{ table: 'users', row: { ...GRACE, version: 1 } }],
  ],
  [
    { _tag: 'UserSignedIn', session: NEW_SESSION },
    {
      type: 'UserSignedIn',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { session_id: 'session', expires_at: '2027-01-15T08:00:00.000Z' },
    },
    [{ table: 'sessions', row: { ...NEW_SESSION, version: 1 } }],
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
    { _tag: 'PasswordChanged', user: ADA, session: SESSION, passwordRecord: 'new record' },
    {
      type: 'PasswordChanged',
      version: 1,
      subject: { kind: 'user', id: 'ada' },
      data: { password_version: 4, password_digest: 'digest of new record', session_id: 'session' },
    },
    [
      { table: 'users', row: { ...ADA, passwordRecord: 'new record', passwordVersion: 4, version: 8 } },
      { table: 'sessions', row: { ...SESSION, passwordVersion: 4, version: 3 } },
    ],
  ],
  [
    { _tag: 'SigningKeyCreated', key: KEY },
    {
      type: 'SigningKeyCreated',
      version: 1,
      subject: { kind: 'key', id: 'kid' },
      data: { purpose: 'user' },
    },
    [{ table: 'keys', row: { ...KEY, version: 1 } }],
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

describe('a fact', () => {
  for (const [fact, event, rows] of TABLE) {
    it(`${fact._tag} is written as its event and ${rows.length} rows`, () => {
      expect(toChange([fact], circumstances('request-1'))).to.deep.equal({
        id: uuid(1),
        events: [{ ...event, ...WRITTEN }],
        rows,
      })
    })
  }

  it('outside of any request has no request_id', () => {
    const { events } = toChange([{ _tag: 'UserSignedOut', session: SESSION }], circumstances())
    expect(events[0]).to.not.have.property('request_id')
  })
})

describe('several facts', () => {
  it('make one change: all events in their order, each with an id of its own, and all rows', () => {
    const [, , , , signedOut, changed] = TABLE
    if (signedOut === undefined || changed === undefined) throw new Error('the table is shorter')
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
    it(`learns no secret and no e-mail of ${fact._tag}`, () => {
      const text = JSON.stringify(toChange([fact], { ...circumstances(), sha256: () => '5ha256' }).events)
      expect(text).to.not.match(/secret|record|@/)
    })
  }
})

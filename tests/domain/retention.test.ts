import { expect } from 'chai'
import type { Event, EventType, WrittenEvent } from '../../domain/event.ts'
import { PRUNABLE_TYPES, prunableBefore } from '../../domain/retention.ts'
import { withoutIo } from './no-io.ts'

const BEFORE = Date.UTC(2026, 0, 1)
const EXPIRED = { expires_at: '2025-12-31T23:59:59.999Z' }
const VALID = { expires_at: '2026-01-01T00:00:00.000Z' }

/** An event of this type. The rule looks at nothing else. */
const event = (type: EventType, data: object = {}): Event =>
  ({ type, version: 1, subject: { kind: 'service', id: 'x' }, data }) as unknown as WrittenEvent

const signedIn = (session_id: string, expiry: object): Event =>
  event('UserSignedIn', { session_id, ...expiry })
const signedOut = (session_id: string): Event => event('UserSignedOut', { session_id })

/** Every type of event, and whether an old entry of it may be pruned. */
const TABLE: Readonly<Record<EventType, boolean>> = {
  ApplicationRegistered: false,
  ApplicationKeyRotated: false,
  ApplicationRevoked: false,
  ApplicationTokenIssued: true,
  ApplicationTokenRevoked: false,
  UserRegistered: false,
  UserImported: false,
  UserDisabled: false,
  UserEnabled: false,
  UserRemoved: false,
  UserSignedIn: true,
  UserSignedOut: true,
  OtherSessionsEnded: false,
  SessionsEnded: false,
  RecoveryStarted: false,
  EmailConfirmationStarted: false,
  EmailConfirmed: false,
  PasswordChanged: false,
  PasswordSet: false,
  PasswordRecovered: false,
  PasswordRehashed: false,
  SigningKeyCreated: false,
  SigningKeyRetired: false,
  SigningKeyReencrypted: false,
  ApplicationTokenRefused: true,
  SignInRefused: true,
  PasswordChangeRefused: true,
  RecoveryRefused: true,
  RefusalsSummarized: true,
  LogRenewed: false,
  LogPruned: false,
}

describe('the entries that may be pruned', () => {
  withoutIo()

  for (const [type, expected] of Object.entries(TABLE) as Array<[EventType, boolean]>) {
    it(`${expected ? 'include' : 'do not include'} an old ${type}`, () => {
      const old = event(type, { session_id: 'gone', token_id: 'gone', ...EXPIRED })
      expect(prunableBefore(BEFORE)(old)).to.equal(expected)
    })
    it(`${expected ? 'have' : 'do not have'} the type ${type}`, () => {
      expect(PRUNABLE_TYPES.includes(type)).to.equal(expected)
    })
  }

  it('do not include a token or a sign-in that expires later', () => {
    expect(prunableBefore(BEFORE)(event('ApplicationTokenIssued', VALID))).to.equal(false)
    expect(prunableBefore(BEFORE)(signedIn('session', VALID))).to.equal(false)
  })

  it('include a sign-out exactly if its sign-in is included, or is missing', () => {
    const isPrunable = prunableBefore(BEFORE)
    const log = [
      signedIn('lasting', VALID),
      signedIn('expired', EXPIRED),
      signedOut('lasting'),
      signedOut('expired'),
      signedOut('pruned'),
    ]
    expect(log.map(isPrunable)).to.deep.equal([false, true, false, true, true])
  })

  it('do not include a token without a date', () => {
    expect(prunableBefore(BEFORE)(event('ApplicationTokenIssued', { expires_at: 'never' }))).to.equal(false)
    expect(prunableBefore(Number.NaN)(event('ApplicationTokenIssued', EXPIRED))).to.equal(false)
  })
})

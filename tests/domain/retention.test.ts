import { expect } from 'chai'
import { EVENTS, type Event, type EventType } from '../../domain/event.ts'
import { PRUNABLE_TYPES, prunableBefore } from '../../domain/retention.ts'
import { withoutIo } from './no-io.ts'

const BEFORE = Date.UTC(2026, 0, 1)
const EXPIRED = { expires_at: '2025-12-31T23:59:59.999Z', ends_at: '2025-12-31T23:59:59.999Z' }
const VALID = { expires_at: '2026-01-01T00:00:00.000Z', ends_at: '2026-01-01T00:00:00.000Z' }

/** An event of this type. The rule looks at nothing else. */
const event = (type: EventType, data: object = {}): Event =>
  ({ type, version: 1, subject: { kind: 'service', id: 'x' }, data }) as unknown as Event

const signedIn = (session_id: string, expiry: object): Event =>
  event('UserSignedIn', { session_id, ...expiry })
const signedOut = (session_id: string): Event => event('UserSignedOut', { session_id })

/** The types of which an old entry may be pruned. */
const PRUNABLE: ReadonlyArray<EventType> = [
  'ApplicationTokenIssued',
  'UserSignedIn',
  'SecondFactorRequested',
  'SessionRenewed',
  'SessionSteppedUp',
  'UserSignedOut',
  'ApplicationTokenRefused',
  'SignInRefused',
  'SecondFactorRefused',
  'IdentityRefused',
  'PasswordChangeRefused',
  'RecoveryRefused',
  'RegistrationRefused',
  'EmailConfirmationRefused',
  'RefusalsSummarized',
  'MailSent',
  'MailFailed',
]

const TYPES = Object.keys(EVENTS) as ReadonlyArray<EventType>

describe('the entries that may be pruned', () => {
  withoutIo()

  it('have these types', () => {
    expect(PRUNABLE_TYPES).to.have.members([...PRUNABLE])
  })

  it('do not include types that are not known', () => {
    expect(prunableBefore(BEFORE)(event('FromTheFuture' as EventType, EXPIRED))).to.equal(false)
  })

  for (const type of TYPES) {
    const expected = PRUNABLE.includes(type)
    it(`${expected ? 'include' : 'do not include'} an old ${type}`, () => {
      const old = event(type, { session_id: 'gone', token_id: 'gone', ...EXPIRED })
      expect(prunableBefore(BEFORE)(old)).to.equal(expected)
    })
  }

  for (const type of TYPES.filter((one) => ['until expiry', 'opens session'].includes(EVENTS[one].effect)))
    it(`do not include a ${type} that expires later`, () => {
      expect(prunableBefore(BEFORE)(event(type, { session_id: 'session', ...VALID }))).to.equal(false)
    })

  it('include a session, its renewals, its step-ups and its sign-out exactly when the session has ended, renewed or not', () => {
    for (const [ends, expected] of [
      [EXPIRED, true],
      [VALID, false],
    ] as const) {
      const prunable = prunableBefore(BEFORE)
      const session_id = 'session'
      expect(prunable(signedIn(session_id, { ...EXPIRED, ends_at: ends.expires_at }))).to.equal(expected)
      expect(prunable(event('SessionRenewed', { session_id, ...EXPIRED }))).to.equal(expected)
      expect(prunable(event('SessionSteppedUp', { session_id, amr: ['pwd'] }))).to.equal(expected)
      expect(prunable(signedOut(session_id))).to.equal(expected)
    }
  })

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

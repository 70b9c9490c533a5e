import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  givenBackFor,
  hopeless,
  isMailKind,
  MAIL_KINDS,
  type MailKind,
  type MailPurpose,
  type MailRecipient,
  newMail,
  triedAgainAfter,
} from '../../domain/mail.ts'
import { withoutIo } from './no-io.ts'

const NOW = 1_700_000_000
const HOUR = 3_600

describe('the kinds of mails', () => {
  withoutIo()

  const KINDS: Readonly<Record<MailKind, readonly [MailPurpose, MailRecipient, string]>> = {
    recovery: ['request', 'record', ''],
    registration: ['request', 'typed', ''],
    registration_known: ['request', 'record', ''],
    email_confirmation: ['request', 'typed', ''],
    email_entered: ['notice', 'former', ''],
    email_changed: ['notice', 'former', 'outlives the user'],
    password_changed: ['notice', 'former', ''],
    password_recovered: ['notice', 'former', ''],
    factor_added: ['notice', 'former', ''],
    factor_removed: ['notice', 'former', ''],
    recovery_codes: ['notice', 'former', ''],
    password_leaked: ['notice', 'former', ''],
    account_removed: ['notice', 'former', 'outlives the user'],
    welcome: ['notice', 'former', 'extra'],
    new_sign_in: ['notice', 'former', 'extra'],
  }
  for (const [kind, [purpose, to, more]] of Object.entries(KINDS))
    it(`have one that is a ${purpose}: ${kind}`, () => {
      expect(isMailKind(kind) && MAIL_KINDS[kind]).to.deep.include({
        purpose,
        to,
        isExtra: more === 'extra',
        outlivesUser: more === 'outlives the user',
      })
    })

  it('are these', () => {
    expect(Object.keys(MAIL_KINDS)).to.have.members(Object.keys(KINDS))
    expect(['toString', '', 'identity_linked'].filter(isMailKind)).to.deep.equal([])
  })
})

describe('a new mail', () => {
  withoutIo()

  const mail = (kind: MailKind, dueAtSeconds?: number) =>
    newMail(
      { id: 'mail-1', kind, userId: some('user-1'), address: 'a@b.de', language: none },
      NOW,
      dueAtSeconds,
    )

  it('waits, and was never tried', () => {
    expect(mail('password_changed')).to.deep.equal({
      id: 'mail-1',
      kind: 'password_changed',
      userId: some('user-1'),
      address: 'a@b.de',
      language: none,
      applicationId: none,
      returnTo: none,
      facts: {},
      createdAtSeconds: NOW,
      dueAtSeconds: NOW,
      expiresAtSeconds: NOW + 72 * HOUR,
      state: 'waiting',
      attempts: 0,
      claims: 0,
      claim: none,
      code: none,
    })
  })

  const EXPIRIES: ReadonlyArray<readonly [kind: MailKind, due: number, expires: number]> = [
    ['recovery', NOW, NOW + 4 * HOUR],
    ['email_confirmation', NOW, NOW + 4 * HOUR],
    ['account_removed', NOW, NOW + 72 * HOUR],
    ['password_leaked', NOW + 300, NOW + 300 + 72 * HOUR],
  ]
  for (const [kind, due, expires] of EXPIRIES)
    it(`expires ${(expires - due) / HOUR} hours after it is due: ${kind}`, () => {
      const { createdAtSeconds, dueAtSeconds, expiresAtSeconds } = mail(kind, due)
      expect([createdAtSeconds, dueAtSeconds, expiresAtSeconds]).to.deep.equal([NOW, due, expires])
    })
})

describe('a mail that could not be sent', () => {
  withoutIo()

  const MINUTES = [1, 2, 4, 8, 16, 32, 60, 60, 60]
  for (const [index, minutes] of MINUTES.entries())
    it(`is tried again ${minutes} minutes after attempt ${index + 1}`, () => {
      expect(triedAgainAfter(index + 1)).to.deep.equal(some(minutes * 60))
    })

  it('is not tried again after attempt 10', () => {
    expect([triedAgainAfter(10), triedAgainAfter(11)]).to.deep.equal([none, none])
  })

  it('is tried again after 1, 2, 4 … seconds, at most an hour, if its attempts were given back', () => {
    const seconds = [1, 2, 3, 12, 13, 1_500].map((claims) => givenBackFor({ attempts: 1, claims }))
    expect(seconds).to.deep.equal([1, 2, 4, 2_048, 3_600, 3_600])
    expect(givenBackFor({ attempts: 9, claims: 9 })).to.equal(1)
  })

  const HOPELESS = [
    ['its tenth attempt', 10, NOW + 1, none],
    ['an eleventh attempt, because its senders died', 11, NOW + 1, some('attempts')],
    ['its expiry', 1, NOW, some('expired')],
    ['a second after its expiry', 1, NOW - 1, some('expired')],
    ['both', 11, NOW, some('expired')],
  ] as const
  for (const [what, attempts, expiresAtSeconds, expected] of HOPELESS)
    it(`is ${expected._tag === 'None' ? 'tried' : 'given up'} at ${what}`, () => {
      expect(hopeless({ attempts, expiresAtSeconds }, NOW)).to.deep.equal(expected)
    })
})

import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { type EmailTrust, verifiedEmail } from '../../adapters/credentials/openid/verified-email.ts'

const EMAIL = 'ada@lovelace.example'
const GMAIL = 'ada@gmail.com'

const TRUSTED: ReadonlyArray<readonly [trust: EmailTrust, claims: Readonly<Record<string, unknown>>]> = [
  ['email_verified', { email: EMAIL, email_verified: true }],
  ['gmail-and-hd', { email: GMAIL, email_verified: true }],
  ['gmail-and-hd', { email: 'Ada@GMAIL.com', email_verified: true }],
  ['gmail-and-hd', { email: EMAIL, email_verified: true, hd: 'lovelace.example' }],
  ['xms_edov', { email: EMAIL, xms_edov: true }],
]

const UNTRUSTED: ReadonlyArray<readonly [trust: EmailTrust, claims: object]> = [
  [false, { email: EMAIL, email_verified: true, xms_edov: true, hd: 'lovelace.example' }],
  ...[false, 'true', 1, '1', null, undefined, {}].flatMap((value): typeof UNTRUSTED => [
    ['email_verified', { email: EMAIL, email_verified: value }],
    ['gmail-and-hd', { email: GMAIL, email_verified: value }],
    ['xms_edov', { email: EMAIL, xms_edov: value }],
  ]),
  ['email_verified', { email: EMAIL, xms_edov: true }],
  ['xms_edov', { email: EMAIL, email_verified: true }],
  ['gmail-and-hd', { email: EMAIL, email_verified: true }],
  ['gmail-and-hd', { email: EMAIL, email_verified: true, hd: '' }],
  ['gmail-and-hd', { email: EMAIL, email_verified: true, hd: true }],
  ['gmail-and-hd', { email: 'ada@evilgmail.com', email_verified: true }],
  ['gmail-and-hd', { email: 'ada@gmail.com.evil.example', email_verified: true }],
  ['gmail-and-hd', { email: GMAIL, hd: 'gmail.com' }],
]

const MALFORMED = [
  undefined,
  null,
  ['ada@lovelace.example'],
  '',
  'ada',
  'ada@',
  'ada@lovelace.example\n',
  ' ada@lovelace.example',
  'Ada <ada@lovelace.example>',
  'grüße@example.com',
  'ada@exämple.com',
  'аda@lovelace.example', // a Cyrillic а
  `${'a'.repeat(300)}@example.com`,
]

describe('the e-mail of an ID token', () => {
  for (const [trust, claims] of TRUSTED)
    it(`is verified for ${trust}: ${JSON.stringify(claims)}`, () => {
      expect(verifiedEmail(trust, { ...claims })).to.deep.equal(some(claims.email))
    })

  for (const [trust, claims] of UNTRUSTED)
    it(`is none for ${trust}: ${JSON.stringify(claims)}`, () => {
      expect(verifiedEmail(trust, { ...claims })).to.deep.equal(none)
    })

  for (const email of MALFORMED)
    it(`is none if it is ${String(JSON.stringify(email)).slice(0, 40)}`, () => {
      expect(verifiedEmail('email_verified', { email, email_verified: true })).to.deep.equal(none)
    })
})

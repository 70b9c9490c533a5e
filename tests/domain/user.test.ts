import { expect } from 'chai'
import * as fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  claimed,
  emailKey,
  hasPassword,
  isEmail,
  passwordRecordOf,
  withConfirmedEmail,
} from '../../domain/user.ts'
import { aUser } from '../testkit/builders.ts'
import { SEED, withoutIo } from './no-io.ts'

const label = (length: number) => 'a'.repeat(length)

describe('an e-mail address', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [what: string, email: string]> = [
    ['an ordinary one', 'ada@example.com'],
    ['one with capitals', 'Ada.Lovelace@Example.COM'],
    ['one with a tag', 'ada+shop@example.com'],
    ['one on a host without a dot', 'ada@localhost'],
    ['the shortest', 'a@b'],
    ['one of digits', '1@2.3'],
    ['one with every special character that a local part may have', "!#$%&'*+/=?^_`{|}~.-@example.com"],
    ['one with dots anywhere before the @', '.ada..lovelace.@example.com'],
    ['one with hyphens inside its labels', 'ada@my--host.ex-ample.com'],
    ['one in punycode', 'ada@xn--bcher-kva.example'],
    ['one with labels of 63 characters', `ada@${label(63)}.${label(63)}`],
    ['one of 254 characters', `${label(250)}@b.c`],
  ]
  for (const [what, email] of GOOD) {
    it(`may be ${what}`, () => {
      expect(isEmail(email)).to.equal(true)
    })
  }

  const BAD: ReadonlyArray<readonly [what: string, email: string]> = [
    ['empty', ''],
    ['without an @', 'ada.example.com'],
    ['without a local part', '@example.com'],
    ['without a host', 'ada@'],
    ['with two @', 'ada@home@example.com'],
    ['with a space', 'ada lovelace@example.com'],
    ['with a space in front', ' ada@example.com'],
    ['with a space at the end', 'ada@example.com '],
    ['with a line feed at the end', 'ada@example.com\n'],
    ['with a second line', 'ada@example.com\neve@example.com'],
    ['with a NUL', 'ada\0@example.com'],
    ['with a quoted local part', '"ada"@example.com'],
    ['with a comment', 'ada(work)@example.com'],
    ['with a name around it', 'Ada <ada@example.com>'],
    ['with a comma', 'ada,eve@example.com'],
    ['with a letter beyond ASCII before the @', 'adä@example.com'],
    ['with a letter beyond ASCII after the @', 'ada@bücher.example'],
    ['with a full-width @', 'ada＠example.com'],
    ['with the Kelvin sign for a K', 'ada@example\u212a.com'],
    ['with a label that begins with a hyphen', 'ada@-example.com'],
    ['with a label that ends with a hyphen', 'ada@example-.com'],
    ['with an empty label', 'ada@example..com'],
    ['with a dot at the end', 'ada@example.com.'],
    ['with an underscore in the host', 'ada@my_host.com'],
    ['with an address in brackets', 'ada@[127.0.0.1]'],
    ['with a label of 64 characters', `ada@${label(64)}.com`],
    ['255 characters long', `${label(251)}@b.c`],
  ]
  for (const [what, email] of BAD) {
    it(`may not be ${what}`, () => {
      expect(isEmail(email)).to.equal(false)
    })
  }

  it('is validated quickly even when it is long and nearly valid', () => {
    expect(isEmail(`a@${'a-'.repeat(20_000)}`)).to.equal(false)
  })
})

describe('two e-mail addresses', () => {
  withoutIo()

  const KEYS: ReadonlyArray<readonly [email: string, key: string]> = [
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZ@EXAMPLE.COM', 'abcdefghijklmnopqrstuvwxyz@example.com'],
    ['abcdefghijklmnopqrstuvwxyz@example.com', 'abcdefghijklmnopqrstuvwxyz@example.com'],
    ['A.B+c@X', 'a.b+c@x'],
    ['@[`{0123456789', '@[`{0123456789'],
    ['ÄÖÜ', 'ÄÖÜ'],
    ['İI', 'İi'],
    ['\u212aK', '\u212ak'],
    ['ẞΣ', 'ẞΣ'],
    ['🛒', '🛒'],
    ['', ''],
  ]
  for (const [email, key] of KEYS) {
    it(`are the same when only ASCII letters differ in case: ${email} has the key ${key}`, () => {
      expect(emailKey(email)).to.equal(key)
    })
  }

  it('have keys of the same length, which are their own keys', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), (units) => {
        const email = String.fromCharCode(...units)
        expect(emailKey(email).length).to.equal(email.length)
        expect(emailKey(emailKey(email))).to.equal(emailKey(email))
      }),
      { seed: SEED },
    )
  })
})

describe('the e-mails that a user confirms', () => {
  withoutIo()

  const CONFIRMED: ReadonlyArray<readonly [emails: ReadonlyArray<string>, versions: ReadonlyArray<number>]> =
    [
      [['ada@example.com'], [1]],
      [
        ['ada@example.org', 'ada@example.org'],
        [2, 2],
      ],
      [
        ['ada@example.org', 'ada@example.com', 'ada@example.org'],
        [2, 3, 4],
      ],
      [['Ada@example.com'], [2]],
    ]
  for (const [emails, versions] of CONFIRMED) {
    it(`are counted when they differ from the one before: ${emails.join(', ')}`, () => {
      let user = aUser({ email: 'ada@example.com' })
      const counted = emails.map((email) => {
        user = withConfirmedEmail(user, email)
        return user.emailVersion
      })
      expect(counted).to.deep.equal(versions)
    })
  }
})

describe('a user whom its owner claims', () => {
  withoutIo()

  it('has no password, a proved e-mail, and nothing that was opened before', () => {
    const user = aUser({ passwordVersion: 3, sessionsVersion: 4 })
    const owned = claimed(user)
    expect(owned).to.deep.equal({
      ...user,
      emailVerified: true,
      passwordRecord: '',
      passwordScheme: '',
      passwordVersion: 4,
    })
    expect([hasPassword(user), hasPassword(owned)]).to.deep.equal([true, false])
    expect([passwordRecordOf(user), passwordRecordOf(owned)]).to.deep.equal([some(user.passwordRecord), none])
  })
})

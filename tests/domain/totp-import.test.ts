import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { base32 } from '../../domain/base32.ts'
import { isShortSecret, type TotpFieldProblem, validateTotpImport } from '../../domain/totp-import.ts'
import { SEED, withoutIo } from './no-io.ts'

const bytes = (length: number, first = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (first + index * 37) % 256)
const SECRET = base32(bytes(20))
const app = (secret: Uint8Array, name = 'Authenticator app') => ({ secret, name })
const of = (totp: unknown, email_verified: unknown = true) => validateTotpImport({ totp, email_verified })

describe('the authenticator apps of an imported user', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [what: string, fields: object, secret?: Uint8Array, name?: string]> = [
    ['only a secret', {}],
    ['a secret of 10 bytes', { secret: base32(bytes(10)) }, bytes(10)],
    ['a secret of 64 bytes', { secret: base32(bytes(64)) }, bytes(64)],
    ['a secret in lower case', { secret: SECRET.toLowerCase() }],
    ['a padded secret', { secret: `${base32(bytes(16))}======` }, bytes(16)],
    ['a padded secret in lower case', { secret: `${base32(bytes(13)).toLowerCase()}===` }, bytes(13)],
    ['bits behind the last byte', { secret: `${'A'.repeat(17)}B` }, new Uint8Array(11)],
    ['a name', { name: 'Telefon – grün' }, bytes(20), 'Telefon – grün'],
    ['an empty name', { name: '' }],
    ['a name of 64 characters', { name: 'x'.repeat(64) }, bytes(20), 'x'.repeat(64)],
    ['null for each optional field', { name: null, algorithm: null, digits: null, period: null }],
    ['the standard values', { algorithm: 'SHA1', digits: 6, period: 30 }],
    ['the standard values of Keycloak', { algorithm: 'HmacSHA1', digits: 6, period: 30, counter: 0 }],
    ['the algorithm in another case', { algorithm: 'sha-1' }],
  ]
  for (const [what, fields, secret = bytes(20), name] of GOOD)
    it(`are valid with ${what}`, () => {
      expect(of([{ secret: SECRET, ...fields }])).to.deep.equal(right([app(secret, name)]))
    })

  const BAD: ReadonlyArray<readonly [what: string, fields: object, problem: TotpFieldProblem]> = [
    ['no secret', { secret: undefined }, 'TotpSecretMalformed'],
    ['an empty secret', { secret: '' }, 'TotpSecretMalformed'],
    ['a secret that is a number', { secret: 22 }, 'TotpSecretMalformed'],
    ['a secret in hexadecimal', { secret: '0189abcdef0189abcdef' }, 'TotpSecretMalformed'],
    [
      'a secret with a space',
      { secret: `${SECRET.slice(0, 16)} ${SECRET.slice(16)}` },
      'TotpSecretMalformed',
    ],
    ['a secret with a line feed', { secret: `${SECRET}\n` }, 'TotpSecretMalformed'],
    ['a letter that becomes ASCII in upper case', { secret: `ſ${SECRET.slice(1)}` }, 'TotpSecretMalformed'],
    ['a secret of a length that no bytes have', { secret: SECRET.slice(0, -2) }, 'TotpSecretMalformed'],
    ['too little padding', { secret: `${base32(bytes(16))}=====` }, 'TotpSecretMalformed'],
    ['a secret of 9 bytes', { secret: base32(bytes(9)) }, 'TotpSecretLength'],
    ['a secret of 65 bytes', { secret: base32(bytes(65)) }, 'TotpSecretLength'],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 'TotpNameMalformed'],
    ['a name with a control character', { name: 'a\tb' }, 'TotpNameMalformed'],
    ['a name that is a number', { name: 1 }, 'TotpNameMalformed'],
    ['SHA-256', { algorithm: 'SHA256' }, 'TotpAlgorithmUnsupported'],
    ['HMAC-SHA-512', { algorithm: 'HmacSHA512' }, 'TotpAlgorithmUnsupported'],
    ['an algorithm that is a number', { algorithm: 1 }, 'TotpAlgorithmUnsupported'],
    ['8 digits', { digits: 8 }, 'TotpDigitsUnsupported'],
    ['6 digits as a text', { digits: '6' }, 'TotpDigitsUnsupported'],
    ['a period of 60 seconds', { period: 60 }, 'TotpPeriodUnsupported'],
  ]
  for (const [what, fields, _tag] of BAD)
    it(`are invalid with ${what}`, () => {
      const second = { secret: base32(bytes(20, 1)), ...fields }
      expect(of([{ secret: SECRET }, second])).to.deep.equal(left([{ _tag, index: 1 }]))
    })

  it('are a list of objects', () => {
    for (const totp of [undefined, null, []]) expect(of(totp, false)).to.deep.equal(right([]))
    for (const totp of ['', SECRET, { secret: SECRET }, 1, true])
      expect(of(totp)).to.deep.equal(left([{ _tag: 'TotpMalformed' }]))
    for (const entry of [null, SECRET, [SECRET], 1])
      expect(of([entry])).to.deep.equal(left([{ _tag: 'TotpEntryMalformed', index: 0 }]))
  })

  it('are at most 20, each with its own secret', () => {
    const many = Array.from({ length: 21 }, (_, index) => bytes(20, index))
    const entries = many.map((secret) => ({ secret: base32(secret) }))
    expect(of(entries.slice(1))).to.deep.equal(right(many.slice(1).map((secret) => app(secret))))
    expect(of(entries)).to.deep.equal(left([{ _tag: 'TotpTooMany' }]))
    const repeated = [entries[0], entries[1], { secret: SECRET.toLowerCase() }]
    expect(of(repeated)).to.deep.equal(left([{ _tag: 'TotpSecretRepeated', index: 2 }]))
  })

  it('require a verified e-mail, and say so beside their other problems', () => {
    for (const verified of [undefined, null, false])
      expect(validateTotpImport({ totp: [{ secret: SECRET }], email_verified: verified })).to.deep.equal(
        left([{ _tag: 'TotpUnverified' }]),
      )
    const both = validateTotpImport({ totp: [{ secret: '', digits: 8 }, 1] })
    expect(both).to.deep.equal(
      left([
        { _tag: 'TotpSecretMalformed', index: 0 },
        { _tag: 'TotpDigitsUnsupported', index: 0 },
        { _tag: 'TotpEntryMalformed', index: 1 },
        { _tag: 'TotpUnverified' },
      ]),
    )
  })

  it('come back as they are written, in either case, for any secret of 10 to 64 bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 10, maxLength: 64 }),
        fc.boolean(),
        fc.boolean(),
        (secret, low, pad) => {
          const text = low ? base32(secret).toLowerCase() : base32(secret)
          const padded = pad ? text.padEnd(Math.ceil(text.length / 8) * 8, '=') : text
          expect(of([{ secret: padded }])).to.deep.equal(right([app(secret)]))
          expect(isShortSecret(secret)).to.equal(secret.length * 8 < 112)
        },
      ),
      { seed: SEED },
    )
  })
})

import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import { base64url } from '../../domain/base64url.ts'
import { TRANSPORTS } from '../../domain/passkey.ts'
import {
  type ImportedPasskey,
  type PasskeyFieldProblem,
  validatePasskeyImport,
} from '../../domain/passkey-import.ts'
import { SEED, withoutIo } from './no-io.ts'

const idOf = (length: number, first = 0): string => base64url(new Uint8Array(length).fill(first))
const ENTRY = {
  name: 'phone',
  credential_id: idOf(32),
  public_key: 'c3Ryb25n',
  rp_id: 'example.com',
  counter: 7,
  verifies_user: true,
  backup_eligible: true,
  backed_up: false,
  transports: ['usb', 'hybrid'],
}
const PASSKEY: ImportedPasskey = {
  name: 'phone',
  credentialId: idOf(32),
  publicKey: 'c3Ryb25n',
  rpId: 'example.com',
  counter: 7,
  verifiesUser: true,
  backupEligible: true,
  backedUp: false,
  transports: ['hybrid', 'usb'],
}
const of = (passkeys: unknown, fields: object = { email_verified: true }) =>
  validatePasskeyImport({ passkeys, ...fields }, (key) => key !== 'd2Vhaw')

describe('the passkeys of an imported user', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [what: string, fields: object, passkey: Partial<ImportedPasskey>]> = [
    ['each member', {}, {}],
    ['a credential id of 1 byte', { credential_id: 'AA' }, { credentialId: 'AA' }],
    ['a credential id of 1,023 bytes', { credential_id: idOf(1023) }, { credentialId: idOf(1023) }],
    ['the relying party localhost', { rp_id: 'localhost' }, { rpId: 'localhost' }],
    ['no counter', { counter: 0 }, { counter: 0 }],
    ['the highest counter', { counter: 4_294_967_295 }, { counter: 4_294_967_295 }],
    ['a backup', { backed_up: true }, { backedUp: true }],
    ['each transport twice', { transports: [...TRANSPORTS, ...TRANSPORTS] }, { transports: TRANSPORTS }],
    ['no transports', { transports: null }, { transports: [] }],
    ['no name', { name: undefined }, { name: 'Passkey' }],
    ['an empty name', { name: '' }, { name: 'Passkey' }],
    ['unknown members', { created_at: 1 }, {}],
  ]
  for (const [what, fields, passkey] of GOOD)
    it(`are valid with ${what}`, () => {
      expect(of([{ ...ENTRY, ...fields }])).to.deep.equal(right([{ ...PASSKEY, ...passkey }]))
    })

  const BAD: ReadonlyArray<readonly [PasskeyFieldProblem, ReadonlyArray<object>]> = [
    [
      'PasskeyIdMalformed',
      [undefined, null, 1, '', 'A', 'AB', 'AAB', 'AA==', 'A+A', `${idOf(32)}\n`, idOf(1024)].map(
        (credential_id) => ({ credential_id }),
      ),
    ],
    [
      'PasskeyKeyRefused',
      [undefined, '', 1, 'd2Vhaw', 'c3Ryb25', 'c3Ryb25n='].map((public_key) => ({ public_key })),
    ],
    [
      'PasskeyRpIdMalformed',
      [undefined, '', 1, 'Example.com', 'https://example.com', '127.0.0.1', 'a b'].map((rp_id) => ({
        rp_id,
      })),
    ],
    [
      'PasskeyCounterMalformed',
      [undefined, null, '7', -1, 0.5, 4_294_967_296, Number.POSITIVE_INFINITY].map((counter) => ({
        counter,
      })),
    ],
    [
      'PasskeyFlagsMalformed',
      ['verifies_user', 'backup_eligible', 'backed_up'].flatMap((flag) => [
        { [flag]: undefined },
        { [flag]: 1 },
      ]),
    ],
    ['PasskeyBackupImpossible', [{ backup_eligible: false, backed_up: true }]],
    ['PasskeyTransportsUnknown', ['usb', {}, ['uv'], ['usb', 1]].map((transports) => ({ transports }))],
    ['PasskeyNameMalformed', [1, 'x'.repeat(65), 'a\tb'].map((name) => ({ name }))],
  ]
  const titleOf = (member: object): string =>
    Object.entries(member)
      .map(([name, value]) => `${name} ${JSON.stringify(value) ?? 'missing'}`)
      .join(' and ')
  for (const [_tag, members] of BAD)
    for (const member of members)
      it(`are invalid with ${titleOf(member)}`, () => {
        const second = { ...ENTRY, credential_id: idOf(32, 1), ...member }
        expect(of([ENTRY, second])).to.deep.equal(left([{ _tag, index: 1 }]))
      })

  it('are a list of objects', () => {
    for (const passkeys of [undefined, null, []]) expect(of(passkeys, {})).to.deep.equal(right([]))
    for (const passkeys of ['', ENTRY, 1, true])
      expect(of(passkeys)).to.deep.equal(left([{ _tag: 'PasskeysMalformed' }]))
    for (const entry of [null, 'AA', [ENTRY], 1])
      expect(of([entry])).to.deep.equal(left([{ _tag: 'PasskeyEntryMalformed', index: 0 }]))
  })

  it('are at most 20 together with the authenticator apps, and each is there once', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ ...ENTRY, credential_id: idOf(16, index) }))
    const verified = { email_verified: true }
    expect(of(many.slice(1))).to.have.nested.property('right.length', 20)
    expect(of(many.slice(2), { ...verified, totp: [{}] })).to.have.nested.property('right.length', 19)
    for (const [passkeys, totp] of [
      [many, []],
      [many.slice(1), [{}]],
    ])
      expect(of(passkeys, { ...verified, totp })).to.deep.equal(left([{ _tag: 'PasskeysTooMany' }]))
    expect(of([...many.slice(0, 3), many[1]])).to.deep.equal(left([{ _tag: 'PasskeyRepeated', index: 3 }]))
  })

  it('require a verified e-mail, and say so beside their other problems', () => {
    for (const email_verified of [undefined, null, false])
      expect(of([ENTRY], { email_verified })).to.deep.equal(left([{ _tag: 'PasskeysUnverified' }]))
    expect(of([{ ...ENTRY, rp_id: '', counter: '' }, 1], {})).to.deep.equal(
      left([
        { _tag: 'PasskeyRpIdMalformed', index: 0 },
        { _tag: 'PasskeyCounterMalformed', index: 0 },
        { _tag: 'PasskeyEntryMalformed', index: 1 },
        { _tag: 'PasskeysUnverified' },
      ]),
    )
  })

  it('have any credential id of 1 to 1,023 bytes, in one text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 1023 }), fc.base64String(), (bytes, other) => {
        const id = base64url(bytes)
        expect(of([{ ...ENTRY, credential_id: id }])).to.deep.equal(right([{ ...PASSKEY, credentialId: id }]))
        const isCanonical = other !== '' && Buffer.from(other, 'base64url').toString('base64url') === other
        expect(of([{ ...ENTRY, credential_id: other }])._tag).to.equal(isCanonical ? 'Right' : 'Left')
      }),
      { seed: SEED },
    )
  })
})

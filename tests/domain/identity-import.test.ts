import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { identityMaterial, identityName } from '../../domain/identity.ts'
import {
  type IdentityFieldProblem,
  type ImportedIdentity,
  validateIdentityImport,
} from '../../domain/identity-import.ts'
import { validatePasskeyImport } from '../../domain/passkey-import.ts'
import { withoutIo } from './no-io.ts'

const ENTRY: ImportedIdentity = {
  issuer: 'https://accounts.google.com',
  subject: '110169484474386276334',
  name: 'Google',
}
const of = (identities: unknown, fields: object = { email_verified: true }) =>
  validateIdentityImport({ identities, ...fields })

describe('the identities of an imported user', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [what: string, fields: object, identity: Partial<ImportedIdentity>]> = [
    ['each member', {}, {}],
    ['a path in the issuer', { issuer: 'https://a.example/b/v2.0' }, { issuer: 'https://a.example/b/v2.0' }],
    ['a port in the issuer', { issuer: 'https://a.example:8443' }, { issuer: 'https://a.example:8443' }],
    ['a final slash', { issuer: 'https://a.example/' }, { issuer: 'https://a.example/' }],
    ['http at a loopback address', { issuer: 'http://127.0.0.1:4000' }, { issuer: 'http://127.0.0.1:4000' }],
    ['a subject of 255 characters', { subject: 'ü'.repeat(255) }, { subject: 'ü'.repeat(255) }],
    ['no name', { name: undefined }, { name: 'Identity' }],
    ['an empty name', { name: '' }, { name: 'Identity' }],
    ['unknown members', { created_at: 1 }, {}],
  ]
  for (const [what, fields, identity] of GOOD)
    it(`are valid with ${what}`, () => {
      expect(of([{ ...ENTRY, ...fields }])).to.deep.equal(right([{ ...ENTRY, ...identity }]))
    })

  const ISSUERS = [
    'accounts.google.com',
    'http://accounts.google.com',
    'http://127.0.0.1.example.com',
    'https://',
    'https:///a',
    'https://ada@a.example',
    'https://a.example?b',
    'https://a.example#b',
    'https://a.example/ b',
    'https://ä.example',
    'https://a.example\n',
    `https://a.example/${'a'.repeat(495)}`,
  ]
  const BAD: ReadonlyArray<readonly [IdentityFieldProblem, ReadonlyArray<object>]> = [
    ['IdentityIssuerMalformed', [undefined, null, '', 1, ...ISSUERS].map((issuer) => ({ issuer }))],
    [
      'IdentitySubjectMalformed',
      [undefined, null, '', 7, ' ', 'a\n', '\ud800', 'a'.repeat(256)].map((subject) => ({ subject })),
    ],
    ['IdentityNameMalformed', [1, 'x'.repeat(65), 'a\tb'].map((name) => ({ name }))],
  ]
  for (const [_tag, members] of BAD)
    for (const member of members)
      it(`are invalid with ${JSON.stringify(Object.entries(member)).slice(0, 80)}`, () => {
        expect(of([ENTRY, { ...ENTRY, subject: 'another', ...member }])).to.deep.equal(
          left([{ _tag, index: 1 }]),
        )
      })

  it('are a list of objects', () => {
    for (const identities of [undefined, null, []]) expect(of(identities, {})).to.deep.equal(right([]))
    for (const identities of ['', ENTRY, 1, true])
      expect(of(identities)).to.deep.equal(left([{ _tag: 'IdentitiesMalformed' }]))
    for (const entry of [null, 'AA', [ENTRY], 1])
      expect(of([entry])).to.deep.equal(left([{ _tag: 'IdentityEntryMalformed', index: 0 }]))
  })

  it('are at most 10, each is there once, and the limit of passkeys does not count them', () => {
    const many = Array.from({ length: 11 }, (_, index) => ({ ...ENTRY, subject: `${index}` }))
    expect(of(many.slice(1))).to.have.nested.property('right.length', 10)
    expect(of(many)).to.deep.equal(left([{ _tag: 'IdentitiesTooMany' }]))
    const renamed = { ...ENTRY, subject: '1', name: 'Other' }
    expect(of([...many.slice(0, 3), renamed])).to.deep.equal(left([{ _tag: 'IdentityRepeated', index: 3 }]))
    const passkeys = Array.from({ length: 20 }, () => ({}))
    const judged = validatePasskeyImport({ passkeys, ...{ identities: many } }, () => true)
    expect(judged).not.to.deep.equal(left([{ _tag: 'PasskeysTooMany' }]))
  })

  it('require a verified e-mail, and say so beside their other problems', () => {
    for (const email_verified of [undefined, null, false])
      expect(of([ENTRY], { email_verified })).to.deep.equal(left([{ _tag: 'IdentitiesUnverified' }]))
    expect(of([{ issuer: '', subject: '' }, 1], {})).to.deep.equal(
      left([
        { _tag: 'IdentityIssuerMalformed', index: 0 },
        { _tag: 'IdentitySubjectMalformed', index: 0 },
        { _tag: 'IdentityEntryMalformed', index: 1 },
        { _tag: 'IdentitiesUnverified' },
      ]),
    )
  })
})

describe('the material of an identity', () => {
  withoutIo()

  it('names its issuer and subject again', () => {
    for (const subject of ['7', '"', '\\', 'ü', ']'])
      expect(identityName(identityMaterial({ issuer: ENTRY.issuer, subject }))).to.deep.equal(
        some({ issuer: ENTRY.issuer, subject }),
      )
  })

  it('names nothing if it is damaged', () => {
    const good = identityMaterial(ENTRY)
    for (const damaged of [
      '',
      'damaged',
      'null',
      '{}',
      '[]',
      '["identity","a"]',
      '["identity","a",7]',
      `${good} `,
    ])
      expect(identityName(damaged), damaged).to.deep.equal(none)
  })
})

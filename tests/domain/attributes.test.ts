import { expect } from 'chai'
import * as fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  type Attributes,
  type AttributesPatch,
  attributesOf,
  attributesText,
  changedAttributes,
  isAttributesText,
  nameKeyOf,
  validateAttributes,
  validateUserAttributes,
} from '../../domain/attributes.ts'
import { removed } from '../../domain/user.ts'
import { aUser } from '../testkit/builders.ts'
import { SEED, withoutIo } from './no-io.ts'

const BEFORE: Attributes = { name: 'Ada', locale: 'en', metadata: { note: 'a', size: 38 } }

/** An object of JSON, in which `__proto__` is a member as any other. */
const json = (text: string): AttributesPatch => JSON.parse(text)

const membersOf = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]))

/** Metadata with this many bytes as JSON. */
const ofBytes = (bytes: number): Record<string, string> => {
  const full = 'x'.repeat(500)
  const texts = { a: full, b: full, c: full, d: full, e: '' }
  const rest = bytes - JSON.stringify(texts).length
  return { ...texts, e: 'x'.repeat(rest) }
}

describe('a change of attributes', () => {
  withoutIo()

  const MERGED: ReadonlyArray<readonly [what: string, patch: AttributesPatch, after: Attributes]> = [
    [
      'sets one and keeps the others',
      { zoneinfo: 'Europe/Zurich' },
      { ...BEFORE, zoneinfo: 'Europe/Zurich' },
    ],
    ['replaces one', { name: 'Ada Lovelace' }, { ...BEFORE, name: 'Ada Lovelace' }],
    ['removes one by null', { name: null }, { locale: 'en', metadata: { note: 'a', size: 38 } }],
    ['removes one by an empty text', { locale: '' }, { name: 'Ada', metadata: { note: 'a', size: 38 } }],
    ['removes what is not set', { picture: null }, BEFORE],
    ['removes metadata by null', { metadata: null }, { name: 'Ada', locale: 'en' }],
    ['removes metadata by an empty text', { metadata: '' }, { name: 'Ada', locale: 'en' }],
    ['keeps metadata with an empty object', { metadata: {} }, BEFORE],
    [
      'sets a member',
      { metadata: { ok: false } },
      { ...BEFORE, metadata: { note: 'a', ok: false, size: 38 } },
    ],
    ['removes members', { metadata: { note: '', size: null } }, { name: 'Ada', locale: 'en' }],
    ['removes a member that is not set', { metadata: { other: null } }, BEFORE],
    ['ignores other fields', { name: 'Ada', email: 'eve@example.com' } as AttributesPatch, BEFORE],
  ]
  for (const [what, patch, after] of MERGED)
    it(what, () => {
      expect(validateAttributes(BEFORE, patch)).to.deep.equal(right(after))
    })

  const GOOD: ReadonlyArray<readonly [name: keyof AttributesPatch, value: unknown]> = [
    ['name', 'x'],
    ['name', '🦊'.repeat(100)],
    ['given_name', 'Øystein von der'],
    ['family_name', "O'Neill-Łukasiewicz"],
    ['picture', 'https://x'],
    ['picture', `https://${'~'.repeat(992)}`],
    ['locale', 'de'],
    ['locale', 'zh-Hant-TW'],
    ['locale', `ab${'-abcdefgh'.repeat(3)}-abcde`],
    ['zoneinfo', 'Etc/GMT+12'],
    ['zoneinfo', 'a'.repeat(64)],
    ['metadata', { a: 'x' }],
    ['metadata', { [`a${'_'.repeat(39)}`]: '🦊'.repeat(500) }],
    ['metadata', { a: 'two\nlines\u0000' }],
    ['metadata', { constructor: 1.5, t: true }],
    ['metadata', membersOf(20)],
    ['metadata', ofBytes(2_048)],
  ]
  for (const [name, value] of GOOD)
    it(`takes ${name} ${JSON.stringify(value).slice(0, 40)}`, () => {
      expect(validateAttributes({}, { [name]: value })).to.deep.equal(right({ [name]: value }))
    })

  const BAD: ReadonlyArray<
    readonly [problem: string, name: keyof AttributesPatch, values: ReadonlyArray<unknown>]
  > = [
    ['NameMalformed', 'name', ['x'.repeat(101), 'a\nb', ' ', '\ud800', 1, true, [], {}]],
    ['GivenNameMalformed', 'given_name', ['\u0000', ['Ada']]],
    ['FamilyNameMalformed', 'family_name', ['\u2028', 0]],
    [
      'PictureMalformed',
      'picture',
      [
        'http://x',
        'https://',
        'HTTPS://x',
        'https://a b',
        'https://ü',
        `https://${'x'.repeat(993)}`,
        'javascript:x',
      ],
    ],
    [
      'LocaleMalformed',
      'locale',
      ['d', 'germ', 'de_CH', 'de-', 'de-C', 'de-abcdefghi', `ab${'-abcdefgh'.repeat(3)}-abcdef`],
    ],
    ['ZoneinfoMalformed', 'zoneinfo', ['Europe Zurich', 'a'.repeat(65), '../x', false]],
    [
      'MetadataMalformed',
      'metadata',
      [
        'text',
        1,
        true,
        [],
        [1],
        { a: [] },
        { a: {} },
        { A: 1 },
        { '1a': 1 },
        { 'a-b': 1 },
        { '': 1 },
        { 'a b': null },
        { [`a${'b'.repeat(40)}`]: 1 },
        { a: 'x'.repeat(501) },
        { a: '\udc00' },
        { a: Number.POSITIVE_INFINITY },
        JSON.parse('{"__proto__":1}'),
        JSON.parse('{"a":1e999}'),
      ],
    ],
    [
      'MetadataTooLarge',
      'metadata',
      [membersOf(21), ofBytes(2_049), { a: 'é'.repeat(500), b: 'é'.repeat(500), c: 'é'.repeat(50) }],
    ],
  ]
  for (const [problem, name, values] of BAD)
    it(`refuses ${values.length} values of ${name}: ${problem}`, () => {
      const decided = values.map((value) => validateAttributes({}, { [name]: value }))
      expect(decided).to.deep.equal(values.map(() => left([problem])))
    })

  it('counts metadata after the change', () => {
    const full = { metadata: membersOf(20) }
    expect(validateAttributes(full, { metadata: { one_more: 1 } })).to.deep.equal(left(['MetadataTooLarge']))
    expect(validateAttributes(full, { metadata: { one_more: 1, m0: null } })).to.have.property(
      '_tag',
      'Right',
    )
  })

  it('reports the problems of all attributes together', () => {
    const every = { metadata: 1, zoneinfo: 1, locale: 1, picture: 1, family_name: 1, given_name: 1, name: 1 }
    expect(validateAttributes({}, every)).to.deep.equal(
      left([
        'NameMalformed',
        'GivenNameMalformed',
        'FamilyNameMalformed',
        'PictureMalformed',
        'LocaleMalformed',
        'ZoneinfoMalformed',
        'MetadataMalformed',
      ]),
    )
  })

  it('needs an attribute', () => {
    for (const patch of [{}, { name: undefined }, json('{"__proto__":{"name":"Eve"}}')])
      expect(validateAttributes(BEFORE, patch)).to.deep.equal(left(['AttributesMissing']))
  })

  it('of an unknown or removed user has the problems of both', () => {
    const user = aUser({ attributes: attributesText({ metadata: membersOf(20) }) })
    const patch = { metadata: { one_more: 1 } }
    for (const [userId, found, expected] of [
      [undefined, none, ['UserIdMissing', 'NameMalformed']],
      ['', none, ['UserIdMissing', 'NameMalformed']],
      ['x', none, ['UserUnknown', 'NameMalformed']],
      ['x', some(removed(user)), ['UserUnknown', 'NameMalformed']],
      ['x', some(user), ['NameMalformed', 'MetadataTooLarge']],
    ] as const)
      expect(validateUserAttributes({ userId, patch: { ...patch, name: 1 } }, found)).to.deep.equal(
        left(expected),
      )
    expect(validateUserAttributes({ userId: 'x', patch: { name: 'Ada' } }, some(user))).to.deep.equal(
      right({ user, attributes: { name: 'Ada', metadata: membersOf(20) } }),
    )
  })
})

describe('the text of attributes', () => {
  withoutIo()

  const textAttribute = fc.constantFrom('Ada', 'é', 'en', 'x', undefined)
  const attributes = fc
    .record({ name: textAttribute, given_name: textAttribute, locale: fc.constantFrom('en', undefined) })
    .map((drawn) => JSON.parse(JSON.stringify(drawn)) as Attributes)

  it('keeps them, in one order', () => {
    fc.assert(
      fc.property(attributes, attributes, (one, other) => {
        const merged = validateAttributes(one, { metadata: { b: 1, a: '\u0000' }, ...other })
        if (!isRight(merged)) throw new Error('refused')
        expect(attributesOf(attributesText(merged.right))).to.deep.equal(merged.right)
        expect(isAttributesText(attributesText(merged.right))).to.equal(true)
      }),
      { seed: SEED },
    )
    const [early, late] = [{ name: 'Ada' }, { locale: 'en', metadata: { b: 1, a: 2 } }]
    expect(validateAttributes(late, early)).to.deep.equal(validateAttributes(early, late))
    expect(attributesText({})).to.equal('')
  })

  it('has none if it is damaged', () => {
    for (const text of ['{', '[]', 'null', '1', '"x"', '{"name":1}', '{"name":"\\n"}', 'x']) {
      expect(attributesOf(text), text).to.deep.equal({})
      expect(isAttributesText(text), text).to.equal(false)
    }
    for (const text of ['{}', '{"name": "Ada"}', '{"email":"x"}', '{"locale":"en","name":"Ada"}'])
      expect(isAttributesText(text), text).to.equal(false)
  })

  it('tells what has changed, by names only, sorted', () => {
    const after = { ...BEFORE, zoneinfo: 'UTC', family_name: 'x', metadata: { note: 'b', size: 38 } }
    expect(changedAttributes(BEFORE, after)).to.deep.equal(['family_name', 'metadata', 'zoneinfo'])
    expect(changedAttributes(after, BEFORE)).to.deep.equal(['family_name', 'metadata', 'zoneinfo'])
    expect(changedAttributes(BEFORE, { ...BEFORE })).to.deep.equal([])
    expect(changedAttributes(BEFORE, {})).to.deep.equal(['locale', 'metadata', 'name'])
  })

  it('has the name as a key, composed and in lower case', () => {
    const keys = ['Ada', 'E\u0301milie', 'ÉMILIE', ''].map((name) =>
      nameKeyOf(attributesText(name === '' ? {} : { name })),
    )
    expect(keys).to.deep.equal(['ada', '\u00e9milie', '\u00e9milie', ''])
  })
})

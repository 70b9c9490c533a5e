import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { emailKey, type HashedPassword } from '../../domain/user.ts'
import {
  decideImports,
  type ImportedUser,
  type ImportProblem,
  type ImportRequest,
  type KnownUsers,
  validateImport,
} from '../../domain/user-import.ts'
import { SEED, withoutIo } from './no-io.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'
const ADA: ImportRequest = { email: 'Ada@Example.com', password_hash: 'a record' }

/** Every record is readable except this one. */
const REFUSED: ImportProblem = { _tag: 'RecordRefused', reason: 'It is a pun.' }
const readRecord = (record: string): Either<string, HashedPassword> =>
  record === 'a pun' ? left('It is a pun.') : right({ record, scheme: 'tests' })

const NOW = 1_000_000_000
const FACTS = { readRecord, nowSeconds: NOW, isStrongKey: (key: string) => key !== 'weak' }

const valid = (fields: Partial<ImportedUser> = {}): ImportedUser => ({
  id: none,
  email: 'Ada@Example.com',
  emailVerified: false,
  createdAtSeconds: NOW,
  status: 'enabled',
  roles: [],
  password: { record: 'a record', scheme: 'tests' },
  attributes: {},
  totp: [],
  passkeys: [],
  identities: [],
  ...fields,
})

const NO_KNOWN_USERS: KnownUsers = {
  emailKeys: new Set(),
  ids: new Set(),
  removedIds: new Set(),
  factorKeys: new Set(),
}

describe('a user of another system', () => {
  withoutIo()

  const GOOD: ReadonlyArray<readonly [what: string, fields: object, user: Partial<ImportedUser>]> = [
    ['with the two required fields', {}, {}],
    ['with an id', { id: ID }, { id: some(ID) }],
    ['with an id in capitals, which become small', { id: ID.toUpperCase() }, { id: some(ID) }],
    ['with a verified e-mail', { email_verified: true }, { emailVerified: true }],
    ['with an e-mail that is not verified', { email_verified: false }, {}],
    ['with a time', { created_at: '1970-01-01T00:00:00Z' }, { createdAtSeconds: 0 }],
    ['with the present time', { created_at: '2001-09-09T01:46:40Z' }, { createdAtSeconds: NOW }],
    ['with roles', { roles: ['b', 'a', 'b'] }, { roles: ['a', 'b'] }],
    ['enabled', { status: 'enabled' }, {}],
    [
      'with an authenticator app',
      { email_verified: true, totp: [{ secret: 'a'.repeat(32), name: 'phone' }] },
      { emailVerified: true, totp: [{ secret: new Uint8Array(20), name: 'phone' }] },
    ],
    ['disabled', { status: 'disabled' }, { status: 'disabled' }],
    ['without a password', { password_hash: null }, { password: { record: '', scheme: '' } }],
    [
      'with null for each optional field',
      { id: null, email_verified: null, created_at: null, status: null },
      {},
    ],
    ['with unknown fields', { nickname: 'Ada', Email: 'x', constructor: 1 }, {}],
    [
      'with attributes',
      { name: 'Ada', locale: null, picture: '', metadata: { size: 38, gone: null } },
      { attributes: { name: 'Ada', metadata: { size: 38 } } },
    ],
  ]
  for (const [what, fields, user] of GOOD) {
    it(`is valid ${what}`, () => {
      expect(validateImport({ ...ADA, ...fields }, FACTS)).to.deep.equal(right(valid(user)))
    })
  }

  type Tag = Exclude<ImportProblem, { reason: string } | { index: number }>['_tag']
  const BAD: ReadonlyArray<readonly [what: string, fields: ImportRequest, problem: Tag]> = [
    ['no e-mail', { email: undefined }, 'EmailMissing'],
    ['an e-mail that is null', { email: null }, 'EmailMissing'],
    ['an empty e-mail', { email: '' }, 'EmailMissing'],
    ['an e-mail that is a number', { email: 1 }, 'EmailMissing'],
    ['a malformed e-mail', { email: 'ada' }, 'EmailMalformed'],
    ['an e-mail with a space', { email: 'ada@example.com ' }, 'EmailMalformed'],
    ['no record', { password_hash: undefined }, 'RecordMissing'],
    ['an empty record', { password_hash: '' }, 'RecordMissing'],
    ['a record that is an object', { password_hash: {} }, 'RecordMissing'],
    ['a record with malformed Unicode', { password_hash: '\ud800' }, 'RecordMissing'],
    ['an empty id', { id: '' }, 'IdMalformed'],
    ['an id that is a number', { id: 17 }, 'IdMalformed'],
    ['an id without hyphens', { id: ID.replaceAll('-', '') }, 'IdMalformed'],
    ['an id in braces', { id: `{${ID}}` }, 'IdMalformed'],
    ['an id that is too long', { id: `${ID}0` }, 'IdMalformed'],
    ['an id with a line feed', { id: `${ID}\n` }, 'IdMalformed'],
    ['a verified e-mail as text', { email_verified: 'true' }, 'EmailVerifiedMalformed'],
    ['a verified e-mail as number', { email_verified: 1 }, 'EmailVerifiedMalformed'],
    ['a time as number', { created_at: 5 }, 'CreatedAtMalformed'],
    ['an empty time', { created_at: '' }, 'CreatedAtMalformed'],
    ['a time of another form', { created_at: '2001-09-09' }, 'CreatedAtMalformed'],
    ['a time before 1970', { created_at: '1969-12-31T23:59:59Z' }, 'CreatedAtOutOfRange'],
    ['a time in the future', { created_at: '2001-09-09T01:46:41Z' }, 'CreatedAtOutOfRange'],
    ['roles that are no list', { roles: 'admin' }, 'RolesMalformed'],
    ['too many roles', { roles: Array.from({ length: 21 }, (_, index) => `r${index}`) }, 'TooManyRoles'],
    ['an empty status', { status: '' }, 'StatusUnknown'],
    ['a status that is a flag', { status: true }, 'StatusUnknown'],
    ['a status in capitals', { status: 'Disabled' }, 'StatusUnknown'],
    ['an unknown status', { status: 'banned' }, 'StatusUnknown'],
    ['an app and no verified e-mail', { totp: [{ secret: 'a'.repeat(32) }] }, 'TotpUnverified'],
    ['a name with a line feed', { name: 'a\n' }, 'NameMalformed'],
    ['a picture that is no https URL', { picture: 'http://x' }, 'PictureMalformed'],
    ['metadata that is a text', { metadata: 'x' }, 'MetadataMalformed'],
    ['the status of a removed user', { status: 'removed' }, 'StatusUnknown'],
  ]
  for (const [what, fields, problem] of BAD) {
    it(`is invalid with ${what}`, () => {
      expect(validateImport({ ...ADA, ...fields }, FACTS)).to.deep.equal(left([{ _tag: problem }]))
    })
  }

  it('is invalid with a refused record, for the reason of the refusal', () => {
    expect(validateImport({ ...ADA, password_hash: 'a pun' }, FACTS)).to.deep.equal(left([REFUSED]))
  })

  it('has the problems of all fields together', () => {
    const all = { email: 'ada', password_hash: 'a pun', id: 1, email_verified: 1, created_at: 1, status: 1 }
    const checked = validateImport({ ...all, totp: [{}], passkeys: {} }, FACTS)
    expect(isLeft(checked) && checked.left).to.have.deep.members([
      { _tag: 'EmailMalformed' },
      REFUSED,
      { _tag: 'IdMalformed' },
      { _tag: 'EmailVerifiedMalformed' },
      { _tag: 'CreatedAtMalformed' },
      { _tag: 'StatusUnknown' },
      { _tag: 'TotpSecretMalformed', index: 0 },
      { _tag: 'PasskeysMalformed' },
    ])
  })

  it('is valid or has problems for any JSON, and never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...Object.keys(ADA), 'id', 'created_at', 'status', 'totp', 'passkeys'),
          fc.jsonValue(),
        ),
        (json) => {
          const checked = validateImport(json, FACTS)
          expect(isRight(checked) || checked.left.length > 0).to.equal(true)
        },
      ),
      { seed: SEED },
    )
  })
})

describe('the decision about imported users', () => {
  withoutIo()

  const OTHER_ID = ID.replace('0b', '0c')
  const BOB = valid({ email: 'bob@example.com' })
  const known = (
    emails: ReadonlyArray<string>,
    ids: ReadonlyArray<string> = [],
    removedIds: ReadonlyArray<string> = [],
  ): KnownUsers => ({
    emailKeys: new Set(emails.map(emailKey)),
    ids: new Set(ids),
    removedIds: new Set(removedIds),
    factorKeys: new Set(),
  })
  const withId = (user: ImportedUser, id = ID): ImportedUser => ({ ...user, id: some(id) })

  const CASES: ReadonlyArray<
    readonly [
      what: string,
      users: ReadonlyArray<ImportedUser | undefined>,
      known: KnownUsers,
      decisions: string,
    ]
  > = [
    ['new users', [valid(), BOB], NO_KNOWN_USERS, 'new new'],
    ['a known e-mail in another case', [valid(), BOB], known(['ADA@example.COM']), 'known new'],
    [
      'the same e-mail twice',
      [valid(), BOB, valid({ email: 'ada@example.com' })],
      NO_KNOWN_USERS,
      'new new known',
    ],
    ['a known id with its e-mail', [withId(valid())], known(['ada@example.com'], [ID]), 'known'],
    ['a known id with a new e-mail', [withId(valid()), BOB], known([], [ID]), 'IdTaken new'],
    ['the id of a removed user', [withId(valid()), BOB], known([], [ID], [ID]), 'IdOfRemovedUser new'],
    ['a known e-mail under another id', [withId(valid())], known(['ada@example.com'], [OTHER_ID]), 'known'],
    ['an id twice with two e-mails', [withId(valid()), withId(BOB)], NO_KNOWN_USERS, 'new IdTaken'],
    ['an id twice with one e-mail', [withId(valid()), withId(valid())], NO_KNOWN_USERS, 'new known'],
    ['an e-mail after a line whose id is taken', [withId(valid()), valid()], known([], [ID]), 'IdTaken new'],
    ['two ids', [withId(valid()), withId(BOB, OTHER_ID)], NO_KNOWN_USERS, 'new new'],
    ['a bad line before the same e-mail', [undefined, valid()], NO_KNOWN_USERS, 'EmailMissing new'],
    ['no users', [], known(['ada@example.com']), ''],
  ]
  for (const [what, users, existing, expected] of CASES) {
    it(`handles ${what}`, () => {
      const before = structuredClone(existing)
      const decisions = decideImports(
        users.map((user) => (user === undefined ? left([{ _tag: 'EmailMissing' }]) : right(user))),
        existing,
      )
      const words = decisions.map((decision) =>
        isLeft(decision) ? decision.left[0]._tag : decision.right.isKnown ? 'known' : 'new',
      )
      expect(words.join(' ')).to.equal(expected)
      expect(existing, 'is not changed').to.deep.equal(before)
    })
  }

  it('imports each e-mail and each id once, and all of them the first time', () => {
    const email = fc.constantFrom('a@x.y', 'A@x.y', 'b@x.y', 'c@x.y')
    const id = fc.constantFrom(none, some('1'), some('2'), some('3'))
    fc.assert(
      fc.property(fc.array(fc.record({ email, id })), (fields) => {
        const users = fields.map((one) => valid(one))
        const decisions = decideImports(users.map(right), NO_KNOWN_USERS)
        const imported = decisions.flatMap((one) =>
          isRight(one) && !one.right.isKnown ? [one.right.user] : [],
        )
        const keys = imported.map((one) => emailKey(one.email))
        const ids = imported.flatMap((one) => (one.id._tag === 'Some' ? [one.id.value] : []))
        expect(new Set(keys).size).to.equal(keys.length)
        expect(new Set(ids).size).to.equal(ids.length)
        for (const [index, one] of decisions.entries()) {
          const key = emailKey(users[index]?.email ?? '')
          if (isRight(one) && one.right.isKnown) expect(keys).to.include(key)
        }
        const again = decideImports(users.map(right), { ...known([], ids), emailKeys: new Set(keys) })
        expect(
          again.some((one) => isRight(one) && !one.right.isKnown),
          'a repeated run imports nothing',
        ).to.equal(false)
      }),
      { seed: SEED },
    )
  })
})

import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { attributesText } from '../../domain/attributes.ts'
import { nameKey } from '../../domain/name.ts'
import { USER_STATUSES } from '../../domain/user.ts'
import {
  matchesUserSearch,
  nextAfter,
  type UserSearchRequest,
  validateUserSearch,
} from '../../domain/user-search.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('validateUserSearch', () => {
  withoutIo()

  const CLASH = left(['ConditionsClash'])
  const ANOTHER = left(['NextOfAnotherSearch'])
  const RULES: ReadonlyArray<readonly [request: UserSearchRequest, outcome: object]> = [
    [{}, right({ after: '' })],
    [{ email: '', status: '', after: '', emailPrefix: '', namePrefix: '', role: '' }, right({ after: '' })],
    [{ email: '\ud800', status: '\ud800', after: '\ud800', role: '\ud800' }, right({ after: '' })],
    [{ email: 'ada@example.com' }, right({ email: 'ada@example.com', after: '' })],
    [{ email: 'no address' }, right({ email: 'no address', after: '' })],
    [{ status: 'enabled' }, right({ status: 'enabled', after: '' })],
    [{ status: 'disabled', after: 'x' }, right({ status: 'disabled', after: 'x' })],
    [{ status: 'removed' }, left(['StatusUnknown'])],
    [{ status: 'ENABLED', email: 'ada@example.com', after: 'x' }, left(['StatusUnknown'])],
    [{ status: '__proto__' }, left(['StatusUnknown'])],
    [{ emailPrefix: 'ADA.É' }, right({ emailPrefix: 'ada.É', after: '' })],
    [{ namePrefix: 'Jose\u0301 ΟΔΟΣ' }, right({ namePrefix: 'jos\u00e9 οδοσ', after: '' })],
    [{ role: 'Shop:admin' }, right({ role: 'Shop:admin', after: '' })],
    [{ role: 'admin', status: 'disabled' }, right({ role: 'admin', status: 'disabled', after: '' })],
    [{ email: 'a@b', status: 'enabled' }, right({ email: 'a@b', status: 'enabled', after: '' })],
    [{ email: 'a@b', emailPrefix: 'a' }, CLASH],
    [{ email: 'a@b', namePrefix: 'a' }, CLASH],
    [{ email: 'a@b', role: 'a' }, CLASH],
    [{ emailPrefix: 'a', namePrefix: 'a' }, CLASH],
    [{ emailPrefix: 'a', role: 'a' }, CLASH],
    [{ namePrefix: 'a', role: 'a', after: 'x' }, CLASH],
    [{ emailPrefix: 'a', status: 'enabled' }, CLASH],
    [{ namePrefix: 'a', status: 'enabled' }, CLASH],
    [{ namePrefix: 'a', status: 'removed' }, left(['StatusUnknown', 'ConditionsClash'])],
    [{ emailPrefix: 'a', after: 'x' }, ANOTHER],
    [{ emailPrefix: 'a', after: 'email_prefix:a:a%ZZ' }, ANOTHER],
    [{ emailPrefix: 'a', after: 'email_prefix:a:a:b' }, ANOTHER],
    [{ namePrefix: 'a', after: 'name_prefix:a:ada' }, ANOTHER],
    [{ namePrefix: 'a', after: 'name_prefix:a:ada:1:2' }, ANOTHER],
    [{ role: 'a', after: '019b7d3f-0000-7000-8000-000000000001' }, ANOTHER],
    [{ after: 'role:a::x' }, ANOTHER],
  ]
  for (const [request, outcome] of RULES) {
    it(`returns ${JSON.stringify(outcome)} for ${JSON.stringify(request)}`, () => {
      expect(validateUserSearch(request)).to.deep.equal(outcome)
    })
  }
})

describe('the next page of a search', () => {
  withoutIo()

  const ADA = aUser({
    id: 'id:1',
    email: 'Ada:x%@Example.com',
    attributes: attributesText({ name: 'Ada: “Ünï” 🦊' }),
  })
  const SEARCHES: ReadonlyArray<readonly [UserSearchRequest, last: object]> = [
    [{}, { after: 'id:1' }],
    [{ status: 'enabled' }, { after: 'id:1' }],
    [{ emailPrefix: 'Ada:' }, { after: 'ada:x%@example.com' }],
    [{ emailPrefix: 'a' }, { after: 'ada:x%@example.com' }],
    [{ namePrefix: 'ADA: “' }, { after: 'ada: “ünï” 🦊', afterId: 'id:1' }],
    [{ role: 'a' }, { after: 'id:1' }],
    [{ role: 'a', status: 'enabled' }, { after: 'id:1' }],
    [{ role: 'a:b' }, { after: 'id:1' }],
  ]
  /** The `after` that continues a search behind Ada. */
  const next = (conditions: UserSearchRequest): string => {
    const search = validateUserSearch(conditions)
    if (!isRight(search)) throw new Error('no search')
    return nextAfter(search.right, ADA)
  }
  const isFree = ({ emailPrefix, namePrefix, role }: UserSearchRequest) =>
    !(emailPrefix || namePrefix || role)

  for (const [conditions, last] of SEARCHES) {
    it(`of ${JSON.stringify(conditions)} begins behind the last user, and continues no other`, () => {
      const after = next(conditions)
      const continued = validateUserSearch({ ...conditions, after })
      expect(isRight(continued) && continued.right).to.deep.include(last)
      for (const [other] of SEARCHES.filter(
        ([one]) => one !== conditions && !(isFree(one) && isFree(conditions)),
      ))
        expect(validateUserSearch({ ...other, after }), JSON.stringify(other)).to.deep.equal(
          left(['NextOfAnotherSearch']),
        )
    })
  }

  it('is the same in each case of the beginning', () => {
    expect(next({ emailPrefix: 'ADA' })).to.equal(next({ emailPrefix: 'ada' }))
    expect(next({ namePrefix: 'ADA' })).to.equal(next({ namePrefix: 'ada' }))
  })
})

describe('the name of a user in a search', () => {
  withoutIo()

  for (const [name, key] of [
    ['Ada Lovelace', 'ada lovelace'],
    ['JOSE\u0301', 'jos\u00e9'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
    ['\u{10400}', '\u{10428}'],
    ['Straße', 'straße'],
    ['', ''],
  ] as const)
    it(`${JSON.stringify(name)} is ${JSON.stringify(key)}, whose beginnings are those of the name`, () => {
      expect(nameKey(name)).to.equal(key)
      const characters = [...name.normalize('NFC')]
      for (const [index] of characters.entries())
        expect(key.startsWith(nameKey(characters.slice(0, index).join('')))).to.equal(true)
    })
})

describe('matchesUserSearch', () => {
  withoutIo()

  for (const status of USER_STATUSES) {
    it(`finds a user that is ${status} under the right conditions`, () => {
      const user = aUser({ id: 'b', status })
      const isListed = status !== 'removed'
      expect(matchesUserSearch({ after: '' }, user)).to.equal(isListed)
      expect(matchesUserSearch({ after: 'a' }, user)).to.equal(isListed)
      expect(matchesUserSearch({ after: 'b' }, user)).to.equal(false)
      expect(matchesUserSearch({ after: 'c' }, user)).to.equal(false)
      expect(matchesUserSearch({ after: '', status: 'enabled' }, user)).to.equal(status === 'enabled')
      expect(matchesUserSearch({ after: '', status: 'disabled' }, user)).to.equal(status === 'disabled')
      expect(matchesUserSearch({ after: 'b', status: 'enabled' }, user)).to.equal(false)
    })
  }
})

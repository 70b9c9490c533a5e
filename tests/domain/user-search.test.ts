import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { USER_STATUSES } from '../../domain/user.ts'
import { matchesUserSearch, type UserSearchRequest, validateUserSearch } from '../../domain/user-search.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('validateUserSearch', () => {
  withoutIo()

  const NOTHING: UserSearchRequest = { email: undefined, status: undefined, after: undefined }
  const RULES: ReadonlyArray<readonly [request: Partial<UserSearchRequest>, outcome: object]> = [
    [{}, right({ after: '' })],
    [{ email: '', status: '', after: '' }, right({ after: '' })],
    [{ email: '\ud800', status: '\ud800', after: '\ud800' }, right({ after: '' })],
    [{ email: 'ada@example.com' }, right({ email: 'ada@example.com', after: '' })],
    [{ email: 'no address' }, right({ email: 'no address', after: '' })],
    [{ status: 'enabled' }, right({ status: 'enabled', after: '' })],
    [{ status: 'disabled', after: 'x' }, right({ status: 'disabled', after: 'x' })],
    [{ status: 'removed' }, left(['StatusUnknown'])],
    [{ status: 'ENABLED', email: 'ada@example.com', after: 'x' }, left(['StatusUnknown'])],
    [{ status: '__proto__' }, left(['StatusUnknown'])],
  ]
  for (const [request, outcome] of RULES) {
    it(`returns ${JSON.stringify(outcome)} for ${JSON.stringify(request)}`, () => {
      expect(validateUserSearch({ ...NOTHING, ...request })).to.deep.equal(outcome)
    })
  }
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

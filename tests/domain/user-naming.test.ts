import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { type UserNaming, validateNamedUser, validateUserNaming } from '../../domain/user-naming.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('what names a user', () => {
  withoutIo()

  const RULES: ReadonlyArray<readonly [UserNaming, object]> = [
    [{}, left(['NoneOrBoth'])],
    [{ userId: '', email: '\ud800' }, left(['NoneOrBoth'])],
    [{ userId: 'id', email: 'a@b' }, left(['NoneOrBoth'])],
    [{ userId: 'id', email: '' }, right({ userId: 'id' })],
    [{ email: 'no address' }, right({ email: 'no address' })],
  ]
  for (const [request, outcome] of RULES)
    it(`is ${JSON.stringify(outcome)} for ${JSON.stringify(request)}`, () => {
      expect(validateUserNaming(request)).to.deep.equal(outcome)
    })

  it('is unknown if no user has it, or a removed one', () => {
    const removed = some(aUser({ status: 'removed' }))
    for (const found of [none, removed]) {
      expect(validateNamedUser({ userId: 'id' }, found)).to.deep.equal(left(['UserUnknown']))
      expect(validateNamedUser({ email: 'id' }, found)).to.deep.equal(left(['EmailUnknown']))
    }
  })

  it('finds enabled and disabled users', () => {
    for (const status of ['enabled', 'disabled'] as const) {
      const user = aUser({ status })
      expect(validateNamedUser({ userId: user.id }, some(user))).to.deep.equal(right(user))
    }
  })
})

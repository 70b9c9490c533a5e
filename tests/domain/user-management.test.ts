import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { USER_STATUSES } from '../../domain/user.ts'
import { validateUserId } from '../../domain/user-management.ts'
import { aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('validateUserId', () => {
  withoutIo()

  for (const status of USER_STATUSES) {
    it(`${status === 'removed' ? 'does not find' : 'finds'} a user that is ${status}`, () => {
      const user = aUser({ status })
      expect(validateUserId({ userId: user.id }, some(user))).to.deep.equal(
        status === 'removed' ? left(['UserUnknown']) : right(user),
      )
    })
  }

  it('reports an unknown id', () => {
    expect(validateUserId({ userId: 'x' }, none)).to.deep.equal(left(['UserUnknown']))
  })

  for (const userId of [undefined, '', '\ud800']) {
    it(`reports ${JSON.stringify(userId)} as missing for any user found`, () => {
      expect(validateUserId({ userId }, none)).to.deep.equal(left(['UserIdMissing']))
      expect(validateUserId({ userId }, some(aUser()))).to.deep.equal(left(['UserIdMissing']))
    })
  }
})

import { expect } from 'chai'
import { TABLE_RULES } from '../../application/recording/tables.ts'
import type { User } from '../../domain/user.ts'
import { aUser, change } from '../testkit/builders.ts'

const PERSONAL = (Object.keys(TABLE_RULES.users.fields) as ReadonlyArray<keyof User>).filter(
  (field) => TABLE_RULES.users.fields[field] === 'personal',
)

describe('the row of a removed user', () => {
  const user = aUser({ emailVerified: true })
  const [row] = change({ _tag: 'UserRemoved', user }).rows
  const removed = row?.row as User

  it('has other personal fields than id and version', () => {
    expect(PERSONAL)
      .to.include.members(['email', 'passwordRecord'])
      .and.not.include.members(['id', 'version'])
  })

  for (const field of PERSONAL) {
    it(`does not hold the ${field}, which is personal in application/recording/tables.ts`, () => {
      const place = `removed() in domain/user.ts must erase ${field}, and aUser() must have a value to erase`
      expect(removed[field], place).to.not.deep.equal(user[field])
      if (typeof user[field] === 'string') expect(JSON.stringify(removed), place).to.not.include(user[field])
    })
  }
})

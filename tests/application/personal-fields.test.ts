import { expect } from 'chai'
import { TABLE_RULES } from '../../application/recording/tables.ts'
import type { Factor } from '../../domain/factor.ts'
import type { User } from '../../domain/user.ts'
import { aFactor, aUser, change, removedUser } from '../testkit/builders.ts'

const PERSONAL = (Object.keys(TABLE_RULES.users.fields) as ReadonlyArray<keyof User>).filter(
  (field) => TABLE_RULES.users.fields[field] === 'personal',
)

describe('the row of a removed user', () => {
  const user = aUser({ emailVerified: true, roles: ['editor'], attributes: '{"name":"Ada"}' })
  const [row] = change(removedUser(user)).rows
  const removed = row?.row as User

  /** What `doctor` finds in a row of the user, while the log says that the user was removed. */
  const differences = (row: User) => {
    const passwordDigest = removed.passwordRecord
    const circumstances = { sha256: (text: string) => text, nowSeconds: 0 }
    const same = TABLE_RULES.users.compare(row, { ...removed, passwordDigest, isStored: true }, circumstances)
    return Object.entries(same).filter(([, isSame]) => !isSame)
  }

  it('is as the log says', () => {
    expect(differences(removed)).to.deep.equal([])
  })

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

    it(`is damaged for doctor if it holds the ${field}`, () => {
      const place = `compare of users in application/recording/tables.ts must look at ${field}`
      expect(differences({ ...removed, [field]: user[field] }), place).to.not.deep.equal([])
    })
  }
})

const PERSONAL_OF_FACTORS = (Object.keys(TABLE_RULES.factors.fields) as ReadonlyArray<keyof Factor>).filter(
  (field) => TABLE_RULES.factors.fields[field] === 'personal',
)

describe('the row of a factor of a removed user', () => {
  const factor = aFactor({ flags: 'uv' })
  const row = change(removedUser(aUser(), [factor])).rows.find(({ table }) => table === 'factors')
  const removed = row?.row as Factor

  it('stays, without its name, its secret and its flags', () => {
    expect(PERSONAL_OF_FACTORS).to.have.members(['name', 'material', 'flags'])
    expect(removed).to.deep.equal({
      ...factor,
      name: '',
      material: '',
      flags: '',
      removed: true,
      version: 2,
    })
  })
})

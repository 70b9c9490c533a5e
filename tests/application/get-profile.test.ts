import { expect } from 'chai'
import { getProfile } from '../../application/accounts/get-profile.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld } from './world.ts'

describe('getProfile, given that Ada@Example.com is signed in', () => {
  it("then the profile is the caller's id, roles and e-mail as registered, and nothing else", async () => {
    const world = await newWorld()
    const { caller } = await world.signIn()
    const expected = { email: 'Ada@Example.com', id: world.ada.id, emailVerified: false, roles: [] }
    expect(getProfile(caller)).to.deep.equal({ ...expected, attributes: {} })
  })

  it('then it has the attributes that are set', async () => {
    const world = await newWorld()
    const { caller, token } = await world.signIn()
    const attributes = { name: 'Ada', metadata: { size: 38 } }
    await succeed(world.service.changeOwnAttributes(CONTEXT, caller, attributes))
    const later = await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
    expect(getProfile(later)).to.deep.include({ attributes })
  })
})

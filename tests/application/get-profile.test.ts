import { expect } from 'chai'
import { getProfile } from '../../application/accounts/get-profile.ts'
import { newWorld } from './world.ts'

describe('getProfile, given that Ada@Example.com is signed in', () => {
  it("then the profile is the caller's id, roles and e-mail as registered, and nothing else", async () => {
    const world = await newWorld()
    const { caller } = await world.signIn()
    const expected = { email: 'Ada@Example.com', id: world.ada.id, emailVerified: false, roles: [] }
    expect(getProfile(caller)).to.deep.equal(expected)
  })
})

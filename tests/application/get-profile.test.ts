import { expect } from 'chai'
import { getProfile } from '../../application/get-profile.ts'
import { newWorld } from './world.ts'

describe('getProfile, given that Ada@Example.com is signed in', () => {
  it("then the profile is the caller's e-mail as it was registered, and nothing else", async () => {
    const { caller } = await (await newWorld()).signIn()
    expect(getProfile(caller)).to.deep.equal({ email: 'Ada@Example.com' })
  })
})

import { expect } from 'chai'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('signOut, given that Ada is signed in here and elsewhere', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  let elsewhere: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    here = await world.signIn()
    elsewhere = await world.signIn()
  })

  const ends = async () => (await world.events()).filter(({ type }) => type === 'UserSignedOut')

  it('when she signs out, then this token is invalid and the other one valid', async () => {
    await succeed(world.service.signOut(CONTEXT, here.caller))
    expect(await fail(world.service.authenticate(CONTEXT, 'signOut', here.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    await succeed(world.service.authenticate(CONTEXT, 'signOut', elsewhere.token))
  })

  it('when she signs out, then it is noted', async () => {
    await succeed(world.service.signOut(CONTEXT, here.caller))
    const [{ id, position, ...noted } = { id: '', position: 0 }] = await ends()
    expect(noted).to.deep.equal({
      type: 'UserSignedOut',
      version: 1,
      at: '2026-03-01T12:00:00.000Z',
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'user', id: world.ada.id },
      request_id: 'request-1',
      data: { session_id: here.caller.session.id },
    })
  })

  it('when she signs out twice, then the second call finds the token invalid', async () => {
    await succeed(world.service.signOut(CONTEXT, here.caller))
    expect(await fail(world.service.signOut(CONTEXT, here.caller))).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await ends()).to.have.lengthOf(1)
  })

  it('when 50 sign-outs race, then exactly one ends the session', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => world.service.signOut(CONTEXT, here.caller)()),
    )
    expect(results.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(1)
    for (const result of results.filter(({ _tag }) => _tag === 'Left')) {
      expect(result).to.deep.equal({ _tag: 'Left', left: { _tag: 'InvalidToken' } })
    }
    expect(await ends()).to.have.lengthOf(1)
  })

  it('when the password was changed here meanwhile, then the session still ends', async () => {
    const request = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, here.caller, request))
    await succeed(world.service.signOut(CONTEXT, here.caller))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', here.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })

  it('when the password was changed elsewhere meanwhile, then the token is already invalid', async () => {
    const request = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, elsewhere.caller, request))
    const now = await fail(world.service.authenticate(CONTEXT, 'signOut', here.token))
    expect(now).to.deep.equal({ _tag: 'InvalidToken' })
  })
})

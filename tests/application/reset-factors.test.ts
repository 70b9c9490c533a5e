import { expect } from 'chai'
import type { ApplicationCaller } from '../../domain/access.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, SECRET, userOf, wrongCodeAt } from '../support/second-factors.ts'
import { aFactor, change, enrolled, newId } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('resetFactors, given Ada, who has an app and recovery codes', () => {
  let world: World
  let ada: EnrolledUser
  let desk: ApplicationCaller
  beforeEach(async () => {
    world = await newWorld()
    ada = await enrolUser(world.store, world.ada.id)
    desk = { ...world.caller, scope: ['users:reset_factors'] }
  })

  const reset = (userId: string | undefined = world.ada.id, caller = desk) =>
    world.service.resetFactors(CONTEXT, caller, { userId })
  const resets = async () => (await world.settledEvents()).filter(({ type }) => type === 'FactorsReset')
  const signIn = () => world.service.signIn(CONTEXT, world.caller, world.ada)
  const completeWith = async (totp: string) => {
    const due = await fail(signIn())
    const token = 'token' in due ? due.token : ''
    return world.service.completeSignIn(CONTEXT, world.caller, { token, totp })
  }

  it('when she lost them, then sessions and factors are gone, and it is noted who did it', async () => {
    const { token } = await succeed(await completeWith(ada.codeAt(world.clock.read())))
    await succeed(reset())
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    expect(await succeed(world.store.listFactors(world.ada.id))).to.deep.equal([])
    const [noted, ...more] = await resets()
    expect(more).to.deep.equal([])
    expect(noted).to.deep.include({
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'application', id: desk.application.id },
    })
    expect(noted?.data).to.have.property('factor_ids').with.members([ada.app.id, ada.codes.id])
    await succeed(signIn())
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('when her wrong codes paused her, then the next app is not paused', async () => {
    for (let time = 0; time < 5; time += 1)
      await fail(await completeWith(wrongCodeAt(SECRET, world.clock.read())))
    await succeed(reset())
    const next = aFactor({ userId: world.ada.id, mark: 0, material: ada.app.material })
    await succeed(world.store.commit(change(enrolled(next, await userOf(world.store, world.ada.id)))))
    await succeed(await completeWith(ada.codeAt(world.clock.read())))
  })

  it('when an application did it sixty times within an hour, then it waits, and another one does not', async () => {
    for (let time = 0; time < 60; time += 1) await succeed(reset())
    world.clock.passSeconds(60)
    expect(await fail(reset())).to.include({ _tag: 'Throttled', retryAfterSeconds: 3_540 })
    const other = { ...desk, application: { ...desk.application, id: 'other' } }
    await succeed(reset(world.ada.id, other))
    world.clock.passSeconds(3_540)
    await succeed(reset())
  })

  it('when no user has the id, or was removed, then that does not count', async () => {
    const unknown = { _tag: 'Invalid', problems: ['UserUnknown'] }
    for (let time = 0; time < 61; time += 1) expect(await fail(reset(newId()))).to.deep.equal(unknown)
    await succeed(reset())
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    expect(await fail(reset())).to.deep.equal(unknown)
    expect(await fail(reset(''))).to.deep.equal({ _tag: 'Invalid', problems: ['UserIdMissing'] })
  })

  it('when she is disabled, then it is possible', async () => {
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    await succeed(reset())
    expect(await resets()).to.have.lengthOf(1)
  })
})

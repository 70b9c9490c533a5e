import { expect } from 'chai'
import { isNone } from 'fp-ts/lib/Option.js'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('the remains of a removed user', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
  })

  const rows = () => succeed(world.store.listRows({ table: 'users', after: '', limit: 10 }))

  // An operator may name a user by its id, but a removed user is unknown.
  const STEPS: ReadonlyArray<readonly [name: string, step: (id: string) => Promise<unknown>]> = [
    ['disabled', (id) => fail(world.service.disableUser(CONTEXT, id))],
    ['enabled', (id) => fail(world.service.enableUser(CONTEXT, id))],
    ['removed', (id) => fail(world.service.removeUser(CONTEXT, id))],
    ['signed out', (id) => fail(world.service.endUserSessions(CONTEXT, id))],
    ['given a password', (id) => fail(world.service.setPassword(CONTEXT, { user: id, password: 'set' }))],
  ]
  for (const [name, step] of STEPS) {
    it(`is not ${name} by its id`, async () => {
      const before = await rows()
      expect(await step(world.ada.id)).to.deep.equal({ _tag: 'UserUnknown' })
      expect(await rows()).to.deep.equal(before)
    })
  }

  it('does not sign in by its id, and is not the subject of the refusal', async () => {
    const request = { email: world.ada.id, password: world.ada.password }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.have.property(
      '_tag',
      'Invalid',
    )
    expect((await world.settledEvents()).at(-1)).to.deep.include({
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'unknown_email' },
    })
  })

  it('is not found by its old e-mail', async () => {
    expect(isNone(await succeed(world.store.findUserByEmail(world.ada.email)))).to.equal(true)
  })
})

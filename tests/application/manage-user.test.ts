import { expect } from 'chai'
import type { UserAction } from '../../application/accounts/manage-users.ts'
import { fail, succeed } from '../support/outcome.ts'
import { pausingHasher } from './fakes.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const DESK = { kind: 'application', id: 'desk' } as const
const manageIn = (world: World, action: UserAction, userId: string | undefined = world.ada.id) =>
  world.service.manageUser(CONTEXT, { action, userId }, DESK)

describe('manageUser, given Ada, who is signed in', () => {
  let world: World
  let session: string
  beforeEach(async () => {
    world = await newWorld()
    session = (await world.signIn()).token
  })

  const profile = () => world.service.authenticate(CONTEXT, 'getProfile', session)
  const noted = async () => (await world.settledEvents()).slice(1)

  const EFFECTS = [
    ['disable', 'UserDisabled', {}],
    ['remove', 'UserRemoved', {}],
    ['endSessions', 'SessionsEnded', { sessions_version: 2 }],
  ] as const
  for (const [action, type, data] of EFFECTS) {
    it(`when an application asks for ${action}, then her session has ended, and the event names the application`, async () => {
      await succeed(manageIn(world, action))
      expect(await fail(profile())).to.deep.equal({ _tag: 'InvalidToken' })
      expect(await noted()).to.deep.equal([
        { type, subject: { kind: 'user', id: world.ada.id }, actor: DESK, data },
      ])
      expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
    })

    it(`when it asks for ${action} while a sign-in has verified the password, then that session has ended too`, async () => {
      const { hasher, pauseNext } = pausingHasher()
      world = await newWorld({ hasher })
      const { reached, resume } = pauseNext()
      const signingIn = world.service.signIn(CONTEXT, world.caller, world.ada)()
      await reached
      await succeed(manageIn(world, action))
      resume()
      const signedIn = await signingIn
      if (signedIn._tag === 'Right') session = signedIn.right.token
      expect(await fail(profile())).to.deep.equal({ _tag: 'InvalidToken' })
    })
  }

  it('when it asks for what is the case, then nothing is logged', async () => {
    await succeed(manageIn(world, 'enable'))
    await succeed(profile())
    for (const action of ['disable', 'disable', 'endSessions'] as const)
      await succeed(manageIn(world, action))
    expect((await noted()).map(({ type }) => type)).to.deep.equal(['UserDisabled'])
    await succeed(manageIn(world, 'enable'))
    await world.signIn()
  })

  for (const action of ['disable', 'enable', 'remove', 'endSessions'] as const) {
    it(`when it asks for ${action} of no user, then the problem is UserUnknown, for her e-mail too`, async () => {
      const { id, email } = world.ada
      for (const userId of ['x', email, id.replace(/.$/, 'f'), `${id}\0`, world.shop.application.id, '\0'])
        expect(await fail(manageIn(world, action, userId))).to.deep.equal({
          _tag: 'Invalid',
          problems: ['UserUnknown'],
        })
      expect(await fail(manageIn(world, action, ''))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['UserIdMissing'],
      })
      expect(await noted()).to.deep.equal([])
    })
  }

  it('when twenty remove her at once, then one succeeds, and the others find no user', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => manageIn(world, 'remove')()))
    expect(all.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(1)
    for (const one of all)
      if (one._tag === 'Left') expect(one.left).to.deep.equal({ _tag: 'Invalid', problems: ['UserUnknown'] })
    expect((await noted()).map(({ type }) => type)).to.deep.equal(['UserRemoved'])
  })
})

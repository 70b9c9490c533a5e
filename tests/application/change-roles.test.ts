import { expect } from 'chai'
import { toUndefined } from 'fp-ts/lib/Option.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { RolesRequest } from '../../domain/roles-change.ts'
import { fail, succeed } from '../support/outcome.ts'
import { claimsOf } from '../support/token-claims.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const TOO_MANY = { _tag: 'Invalid', problems: ['TooManyRoles'] }
const rolesOf = (count: number) => Array.from({ length: count }, (_, index) => `role-${10 + index}`)

for (const USER_TOKEN_FORMAT of ['paseto', 'jwt'])
  describe(`changeRoles, given Ada, who is signed in, and user tokens as ${USER_TOKEN_FORMAT}`, () => {
    let world: World
    let token: string
    beforeEach(async () => {
      world = await newWorld({ environment: { USER_TOKEN_FORMAT, SESSION_TTL: '86400' } })
      token = (await world.signIn()).token
    })

    /** What a request of an application does. Its scope is not looked at here. */
    const asked = (request: Partial<RolesRequest>, caller: ApplicationCaller = world.caller) =>
      world.service.changeRoles(CONTEXT, caller, {
        userId: world.ada.id,
        add: undefined,
        remove: undefined,
        ...request,
      })
    const change = (request: Partial<RolesRequest>) => succeed(asked(request))
    const signIn = () => succeed(world.service.signIn(CONTEXT, world.caller, world.ada))
    const renew = (old = token) => succeed(world.service.renewSession(CONTEXT, world.caller, { token: old }))
    const introspected = async (one = token) => {
      const found = await succeed(world.service.introspect(one))
      return found.active && found.kind === 'user' && found
    }
    const rowOf = async () => toUndefined(await succeed(world.store.findUser(world.ada.id)))

    it('when roles are added and removed, then it returns all of them, and notes all of them', async () => {
      expect(await change({ add: ['shop:admin', 'editor', 'editor'] })).to.deep.equal([
        'editor',
        'shop:admin',
      ])
      expect(await change({ add: ['b', 'a'], remove: ['editor', 'a', 'x'] })).to.deep.equal([
        'b',
        'shop:admin',
      ])
      expect((await rowOf())?.roles).to.deep.equal(['b', 'shop:admin'])
      const noted = (await world.settledEvents()).filter(({ type }) => type === 'UserRolesChanged')
      expect(noted).to.deep.equal(
        [
          ['editor', 'shop:admin'],
          ['b', 'shop:admin'],
        ].map((roles) => ({
          type: 'UserRolesChanged',
          subject: { kind: 'user', id: world.ada.id },
          actor: { kind: 'application', id: world.shop.application.id },
          data: { roles },
        })),
      )
      expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
    })

    it('when nothing changes, then nothing is written', async () => {
      await change({ add: ['editor'] })
      const before = await rowOf()
      expect(await change({ add: [] })).to.deep.equal(['editor'])
      expect(await change({ add: ['editor'], remove: ['x'] })).to.deep.equal(['editor'])
      expect(await change({ add: ['y'], remove: ['y'] })).to.deep.equal(['editor'])
      expect(await rowOf()).to.deep.equal(before)
    })

    it('when Ada has roles, then each new token has them, and one from before shows them at introspection', async () => {
      expect(claimsOf(token)).to.not.have.property('roles')
      expect(await introspected()).to.not.have.property('roles')
      const roles = await change({ add: ['editor', 'shop:admin'] })
      expect(await introspected()).to.deep.include({ roles })
      expect(claimsOf(token)).to.not.have.property('roles')
      const caller = await succeed(world.service.authenticate(CONTEXT, 'stepUp', token))
      for (const answer of [
        await signIn(),
        await renew(), // within a minute: it writes nothing
        await succeed(world.service.stepUp(CONTEXT, caller, { password: world.ada.password })),
      ]) {
        expect(answer.roles).to.deep.equal(roles)
        expect(claimsOf(answer.token)).to.deep.include({ roles })
        expect(await introspected(answer.token)).to.deep.include({ roles })
      }
    })

    it('when the last role is taken away, then tokens have no claim, and introspection hides the old one', async () => {
      await change({ add: ['shop:admin'] })
      const old = (await signIn()).token
      await change({ remove: ['shop:admin'] })
      expect(claimsOf(old)).to.deep.include({ roles: ['shop:admin'] })
      expect(await introspected(old)).to.not.have.property('roles')
      const renewed = await renew(old)
      expect(renewed.roles).to.deep.equal([])
      expect(claimsOf(renewed.token)).to.not.have.property('roles')
    })

    it('when they change while a renewal is signing, then the renewal repeats, and has the new ones', async () => {
      world.clock.passSeconds(3_600)
      const { commit } = world.store
      let isFirst = true
      const racing: typeof commit = (written) => async () => {
        if (isFirst && written.events[0].type === 'SessionRenewed') {
          isFirst = false
          await change({ add: ['shop:admin'] })
        }
        return commit(written)()
      }
      Object.assign(world.store, { commit: racing })
      const renewed = await renew()
      expect(isFirst, 'the renewal is written').to.equal(false)
      expect(renewed.roles).to.deep.equal(['shop:admin'])
      expect(claimsOf(renewed.token)).to.deep.include({ roles: ['shop:admin'] })
    })
  })

describe('changeRoles, given Ada', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const change = (request: Partial<RolesRequest>) =>
    world.service.changeRoles(CONTEXT, world.caller, {
      userId: world.ada.id,
      add: undefined,
      remove: undefined,
      ...request,
    })
  const operate = (add: ReadonlyArray<string>, remove: ReadonlyArray<string> = [], user = world.ada.email) =>
    world.service.changeUserRoles({ ...CONTEXT, operator: 'grace' }, user, { add, remove })
  const rowOf = async () => toUndefined(await succeed(world.store.findUser(world.ada.id)))

  it('when an operator names her by e-mail or id, then she has the roles, and the event names the operator', async () => {
    expect((await succeed(operate(['a', 'b']))).roles).to.deep.equal(['a', 'b'])
    expect((await succeed(operate([], ['a'], world.ada.id))).roles).to.deep.equal(['b'])
    expect(await fail(operate(rolesOf(20)))).to.deep.equal(TOO_MANY)
    expect(await fail(operate(['a'], [], 'eve@example.com'))).to.deep.equal({ _tag: 'UserUnknown' })
    const noted = (await world.settledEvents()).map(({ type, actor }) => [type, actor])
    const byGrace = ['UserRolesChanged', { kind: 'operator', id: 'grace' }]
    expect(noted).to.deep.equal([byGrace, byGrace])
  })

  it('when she is disabled, then her roles can change, and stay while she is enabled again', async () => {
    await succeed(operate(['a']))
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    expect(await succeed(change({ add: ['b'] }))).to.deep.equal(['a', 'b'])
    await succeed(world.service.enableUser(CONTEXT, world.ada.email))
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'new' }))
    expect((await rowOf())?.roles).to.deep.equal(['a', 'b'])
  })

  it('when she is removed, then her roles are erased, and cannot change', async () => {
    await succeed(operate(['shop:admin']))
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    expect((await rowOf())?.roles).to.deep.equal([])
    expect(await fail(change({ add: ['a'] }))).to.deep.equal({ _tag: 'Invalid', problems: ['UserUnknown'] })
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('when she is removed meanwhile, then she is unknown', async () => {
    const [changed] = await Promise.all([
      change({ add: ['a'] })(),
      succeed(world.service.removeUser(CONTEXT, world.ada.email)),
    ])
    expect((await rowOf())?.roles).to.deep.equal([])
    if (changed._tag === 'Left')
      expect(changed.left).to.deep.equal({ _tag: 'Invalid', problems: ['UserUnknown'] })
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('when ten add and remove at once, then no change is lost', async () => {
    const before = rolesOf(5)
    await succeed(change({ add: before }))
    const added = ['v', 'w', 'x', 'y', 'z']
    await Promise.all([
      ...added.map((role) => succeed(change({ add: [role] }))),
      ...before.map((role) => succeed(change({ remove: [role] }))),
    ])
    expect((await rowOf())?.roles).to.deep.equal(added)
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('when two add the twentieth role at once, then one of them is refused', async () => {
    await succeed(change({ add: rolesOf(19) }))
    const both = await Promise.all(['x', 'y'].map((role) => change({ add: [role] })()))
    expect(both.flatMap((one) => (one._tag === 'Left' ? [one.left] : []))).to.deep.equal([TOO_MANY])
    expect((await rowOf())?.roles).to.have.lengthOf(20)
  })
})

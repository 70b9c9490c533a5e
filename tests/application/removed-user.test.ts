import { expect } from 'chai'
import { isNone, none, type Option } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import type { Failures } from '../../domain/throttle.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, SECRET, wrongCodeAt } from '../support/second-factors.ts'
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

describe('the count of wrong codes of a user with an authenticator app', () => {
  let kept: Option<Failures>
  let world: World
  let app: EnrolledUser
  beforeEach(async () => {
    kept = none
    const counts = provide(Dependency.failureCounts, { clock: Dependency.clock }, ({ clock }) => {
      const { update, close } = memoryFailureCounts(clock)
      return {
        close,
        update: (counted, decide) =>
          update(counted, (known) => {
            const decided = decide(known)
            if (counted.kind === 'second_factor') kept = decided.kept
            return decided
          }),
      }
    })
    world = await newWorld({ modules: [counts] })
    app = await enrolUser(world.store, world.ada.id)
  })

  const enter = async (totp: string) => {
    const due = await fail(world.service.signIn(CONTEXT, world.caller, world.ada))
    const token = due._tag === 'SecondFactorDue' ? due.token : ''
    return world.service.completeSignIn(CONTEXT, world.caller, { token, totp })
  }
  const enterWrong = async () => {
    await fail(await enter(wrongCodeAt(SECRET, world.clock.read())))
    expect(kept._tag).to.equal('Some')
  }

  const REMOVALS: ReadonlyArray<readonly [by: string, remove: () => Promise<unknown>]> = [
    ['an operator', () => succeed(world.service.removeUser(CONTEXT, world.ada.email))],
    [
      'an application',
      () => succeed(world.service.manageUser(CONTEXT, { action: 'remove', userId: world.ada.id }, OPERATOR)),
    ],
  ]
  for (const [by, remove] of REMOVALS) {
    it(`is deleted when ${by} removes the user`, async () => {
      await enterWrong()
      await remove()
      expect(kept).to.deep.equal(none)
    })
  }

  it('is deleted when the user removes the account', async () => {
    const { token } = await succeed(await enter(app.codeAt(world.clock.read())))
    await enterWrong()
    const caller = await succeed(world.service.authenticate(CONTEXT, 'removeOwnAccount', token))
    await succeed(world.service.removeOwnAccount(CONTEXT, caller, { password: world.ada.password }))
    expect(kept).to.deep.equal(none)
  })

  it('stays when the user is disabled', async () => {
    await enterWrong()
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    expect(kept._tag).to.equal('Some')
  })
})

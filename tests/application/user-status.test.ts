import { expect } from 'chai'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests, systemRandom } from '../../adapters/node/environment.ts'
import {
  disableUser,
  enableUser,
  endUserSessions,
  removeUser,
} from '../../application/accounts/manage-users.ts'
import type { Store } from '../../application/ports/store.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { EventType } from '../../domain/event.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

const INVALID_TOKEN = { _tag: 'InvalidToken' }
const UNKNOWN = { _tag: 'UserUnknown' }

describe('the status of a user, given Ada, who is signed in', () => {
  let world: World
  let ada: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    ada = await world.signIn()
  })

  const disable = (email = world.ada.email) => world.service.disableUser(CONTEXT, email)
  const enable = (email = world.ada.email) => world.service.enableUser(CONTEXT, email)
  const remove = (email = world.ada.email) => world.service.removeUser(CONTEXT, email)
  const profile = (token = ada.token) => world.service.authenticate(CONTEXT, 'getProfile', token)
  const endSessions = (email = world.ada.email) => world.service.endUserSessions(CONTEXT, email)
  const notedSince = async () => (await world.settledEvents()).slice(1)
  const byOperator = (type: EventType) => ({
    type,
    subject: { kind: 'user', id: world.ada.id },
    actor: { kind: 'operator' },
    data: {},
  })
  const signIn = () =>
    world.service.signIn(CONTEXT, world.caller, { email: world.ada.email, password: world.ada.password })

  it('when she is disabled, then her session has ended and she cannot sign in', async () => {
    expect(await succeed(disable())).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
    expect(await fail(signIn())).to.have.property('_tag', 'Invalid')
    expect((await notedSince())[0]).to.deep.equal(byOperator('UserDisabled'))
  })

  it('when she is enabled again, then she signs in with her password, and her old session stays ended', async () => {
    await succeed(disable())
    expect(await succeed(enable())).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
    const again = await world.signIn()
    await succeed(profile(again.token))
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
    expect((await notedSince()).slice(0, 2)).to.deep.equal([
      byOperator('UserDisabled'),
      byOperator('UserEnabled'),
    ])
  })

  it('when she is removed, then her session has ended and her e-mail is free', async () => {
    expect(await succeed(remove())).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
    expect(isNone(await succeed(world.store.findUserByEmail(world.ada.email)))).to.equal(true)
    expect(await notedSince()).to.deep.equal([byOperator('UserRemoved')])
  })

  it('when she is removed, then another user can register her e-mail', async () => {
    await succeed(remove())
    const request = { email: 'ADA@example.com', password: 'another' }
    const other = await succeed(world.service.registerUser(CONTEXT, request, OPERATOR))
    expect(other.id).to.not.equal(world.ada.id)
    expect(await fail(signIn())).to.have.property('_tag', 'Invalid')
    const { token } = await world.signIn('another')
    expect((await succeed(profile(token))).user.id).to.equal(other.id)
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
  })

  it('when she is removed, registered and removed again, then two ids are left', async () => {
    const ids = [(await succeed(remove())).id]
    const request = { email: world.ada.email, password: 'another' }
    await succeed(world.service.registerUser(CONTEXT, request, OPERATOR))
    ids.push((await succeed(remove())).id)
    const users = await succeed(world.store.listRows({ table: 'users', after: '', limit: 10 }))
    expect(
      users.map(({ id, email, passwordRecord, status }) => [id, email, passwordRecord, status]),
    ).to.deep.equal(ids.map((id) => [id, id, '', 'removed']))
  })

  it('when she is disabled and then removed, then she is removed', async () => {
    await succeed(disable())
    await succeed(remove())
    expect((await notedSince()).map(({ type }) => type)).to.deep.equal(['UserDisabled', 'UserRemoved'])
  })

  it('when she is disabled twice, then one event is logged', async () => {
    expect(await succeed(disable())).to.deep.equal(await succeed(disable()))
    expect((await notedSince()).map(({ type }) => type)).to.deep.equal(['UserDisabled'])
  })

  it('when she is enabled and was not disabled, then nothing is logged and her session stays alive', async () => {
    expect(await succeed(enable())).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    await succeed(profile())
    expect(await notedSince()).to.deep.equal([])
  })

  it('when her sessions are ended, then they have ended, and she signs in again', async () => {
    expect(await succeed(endSessions())).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
    expect(await notedSince()).to.deep.equal([
      { ...byOperator('SessionsEnded'), data: { sessions_version: 2 } },
    ])
    await succeed(profile((await world.signIn()).token))
  })

  it('when she is disabled and her sessions are ended, then one event is logged', async () => {
    await succeed(disable())
    await succeed(endSessions())
    expect((await notedSince()).map(({ type }) => type)).to.deep.equal(['UserDisabled'])
  })

  it('when the operator names her by her id, then each command finds her', async () => {
    for (const step of [disable, enable, endSessions, remove])
      expect(await succeed(step(world.ada.id))).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    expect((await notedSince()).map(({ type }) => type)).to.deep.equal([
      'UserDisabled',
      'UserEnabled',
      'SessionsEnded',
      'UserRemoved',
    ])
  })

  it('when her e-mail has another case, then it names the same user', async () => {
    expect(await succeed(disable('ADA@EXAMPLE.COM'))).to.have.property('id', world.ada.id)
  })

  const STEPS: ReadonlyArray<readonly [name: string, step: (email: string) => ReturnType<typeof disable>]> = [
    ['disabled', disable],
    ['enabled', enable],
    ['removed', remove],
    ['signed out', endSessions],
  ]
  for (const [name, step] of STEPS) {
    it(`when an unknown user is ${name}, then the failure is UserUnknown`, async () => {
      expect(await fail(step('eve@example.com'))).to.deep.equal(UNKNOWN)
      expect(await notedSince()).to.deep.equal([])
    })

    it(`when she is ${name} after she was removed, then the failure is UserUnknown`, async () => {
      await succeed(remove())
      expect(await fail(step(world.ada.email))).to.deep.equal(UNKNOWN)
    })

    it(`when she is ${name} while the store takes no change, then her status is unchanged`, async () => {
      await succeed(disable())
      world.store.readOnly = true
      const outcome = await step(world.ada.email)()
      world.store.readOnly = false
      // The current status needs no change.
      expect(outcome).to.deep.equal(
        name === 'disabled' || name === 'signed out'
          ? { _tag: 'Right', right: { id: world.ada.id, email: world.ada.email } }
          : { _tag: 'Left', left: FULL },
      )
      expect((await notedSince()).map(({ type }) => type)).to.deep.equal(['UserDisabled'])
    })
  }

  it('when twenty operators disable her concurrently, then one event is logged', async () => {
    await Promise.all(Array.from({ length: 20 }, () => succeed(disable())))
    expect((await notedSince()).map(({ type }) => type)).to.deep.equal(['UserDisabled'])
  })

  it('when she changes her password while she is disabled, then she is disabled', async () => {
    const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await Promise.all([world.service.changePassword(CONTEXT, ada.caller, change)(), succeed(disable())])
    const found = await succeed(world.store.findUserByEmail(world.ada.email))
    expect(isSome(found) && found.value.status).to.equal('disabled')
    expect(await fail(profile())).to.deep.equal(INVALID_TOKEN)
  })

  const RACING = [
    ['disabled', disableUser, 'disabled'],
    ['enabled', enableUser, 'enabled'],
    ['removed', removeUser, 'removed'],
    ['signed out', endUserSessions, 'enabled'],
  ] as const
  for (const [name, useCase, status] of RACING) {
    it(`when she is ${name} on stale facts, then it is decided again on fresh ones`, async () => {
      if (name === 'enabled') await succeed(disable())
      const before = await succeed(world.store.findUserByEmail(world.ada.email))
      const request = { user: world.ada.email, password: 'set meanwhile' }
      await succeed(world.service.setPassword(CONTEXT, request))
      const lookups: Array<string> = []
      const late: Store = {
        ...world.store,
        findUserByEmail: (email) => async () => {
          lookups.push(email)
          return { _tag: 'Right', right: before }
        },
        findUser: (id) => {
          lookups.push(id)
          return world.store.findUser(id)
        },
      }
      const record = recorder({
        store: late,
        clock: world.clock.read,
        random: systemRandom,
        digests: nodeDigests,
      })
      const throttle = { forget: () => async () => undefined }
      await succeed(useCase({ store: late, record, throttle })(CONTEXT, world.ada.email))
      expect(lookups).to.deep.equal([world.ada.email, world.ada.id])
      const rows = await succeed(world.store.listRows({ table: 'users', after: '', limit: 1 }))
      expect(rows[0]?.status).to.equal(status)
      // The new password is still set.
      const old = isSome(before) ? before.value.passwordRecord : undefined
      expect(rows[0]?.passwordRecord).to.not.equal(old)
    })
  }
})

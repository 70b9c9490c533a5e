import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { SessionQuery } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { recordsOf } from './records.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const NOW_SECONDS = Date.parse(NOW) / 1000

describe('listSessions, given Ada, who is signed in', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    here = await world.signIn()
  })

  const list = (caller = here.caller) => succeed(world.service.listSessions(caller))
  const listed = async () => (await list()).map(({ id }) => id)
  const idOf = ({ caller }: typeof here) => caller.session.id

  it('when she has no other session, then only the current one is listed', async () => {
    expect(await list()).to.deep.equal([
      {
        id: idOf(here),
        createdAtSeconds: NOW_SECONDS,
        renewedAtSeconds: none,
        expiresAtSeconds: NOW_SECONDS + 43_200,
        endsAtSeconds: NOW_SECONDS + 43_200,
        applicationId: world.shop.application.id,
        applicationName: some('shop'),
        label: none,
        remembered: false,
        acr: 'aal1',
        amr: ['pwd'],
        isCurrent: true,
      },
    ])
  })

  it('when another application signed her in later, then that session names it, until that application is revoked', async () => {
    world.clock.passSeconds(90)
    const made = await succeed(
      world.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    const { token } = await succeed(world.service.issueApplicationToken(CONTEXT, made))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signIn', token))
    await succeed(world.service.signIn(CONTEXT, caller, { email: world.ada.email, password: 'old' }))
    const [newest, oldest] = await list()
    expect(newest).to.deep.include({
      createdAtSeconds: NOW_SECONDS + 90,
      expiresAtSeconds: NOW_SECONDS + 90 + 43_200,
      applicationId: made.application.id,
      isCurrent: false,
    })
    expect(oldest).to.include({ id: idOf(here), isCurrent: true })
    await succeed(world.service.revokeApplication(CONTEXT, made.application.id))
    expect(await listed(), 'after the revocation of that application').to.deep.equal([idOf(here)])
    const sessionId = newest?.id
    const ended = { _tag: 'Invalid', problems: ['SessionNotYours'] }
    expect(await fail(world.service.endSession(CONTEXT, here.caller, { sessionId }))).to.deep.equal(ended)
  })

  it('when one has been signed out, then it is not listed', async () => {
    const other = await world.signIn()
    await succeed(world.service.signOut(CONTEXT, other.caller))
    expect(await listed()).to.deep.equal([idOf(here)])
  })

  it('when her password has changed, then only the session that changed it is listed', async () => {
    await world.signIn()
    const change = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, here.caller, change))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'listSessions', here.token))
    expect((await list(caller)).map(({ id }) => id)).to.deep.equal([idOf(here)])
  })

  it('when one has expired, then it is listed only as long as its token is accepted', async () => {
    world.clock.passSeconds(60)
    const later = await world.signIn()
    world.clock.passSeconds(43_200 - 60 + 4)
    expect((await list(later.caller)).map(({ id }) => id)).to.deep.equal([idOf(later), idOf(here)])
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', here.token))
    world.clock.passSeconds(1)
    expect((await list(later.caller)).map(({ id }) => id)).to.deep.equal([idOf(later)])
    await fail(world.service.authenticate(CONTEXT, 'getProfile', here.token))
  })

  it('when others are signed in, then their sessions are not listed', async () => {
    const eve = { email: 'eve@example.com', password: 'p' }
    await succeed(world.service.registerUser(CONTEXT, eve, OPERATOR))
    await succeed(world.service.signIn(CONTEXT, world.caller, eve))
    expect(await listed()).to.deep.equal([idOf(here)])
  })

  it('when it reads, then it requests as many sessions as it lists, in whole seconds', async () => {
    world.clock.passSeconds(0.25)
    const asked: Array<SessionQuery> = []
    const { listSessions } = world.store
    Object.assign(world.store, {
      listSessions: (query: SessionQuery) => {
        asked.push(query)
        return listSessions(query)
      },
    })
    await list()
    expect(asked).to.deep.equal([
      {
        userId: world.ada.id,
        passwordVersion: 1,
        sessionsVersion: 1,
        expiresAfterSeconds: NOW_SECONDS - 5,
        skip: 0,
        limit: 100,
      },
    ])
  })

  it('when she lists them, then nothing is logged', async () => {
    const before = [await recordsOf(world.store), await world.events()]
    await list()
    await world.background.settle()
    expect([await recordsOf(world.store), await world.events()]).to.deep.equal(before)
  })
})

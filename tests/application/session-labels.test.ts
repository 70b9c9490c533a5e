import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { UserCaller } from '../../domain/access.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('the label of a session, given Ada', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const signIn = (label: string | undefined, password = 'old') =>
    world.service.signIn(CONTEXT, world.caller, { email: world.ada.email, password, label })
  const signedIn = async (label: string | undefined): Promise<UserCaller> => {
    const { token } = await succeed(signIn(label))
    return succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
  }
  const labels = async (caller: UserCaller) =>
    (await succeed(world.service.listSessions(caller))).map(({ label }) => label)
  const kept = async () =>
    (await succeed(world.store.listRows({ table: 'sessions', after: '', limit: 9 }))).map(({ label }) =>
      isSome(label),
    )

  it('is in the list, and in no log entry', async () => {
    const label = `${'🦊'.repeat(91)} on Linux`
    expect(await labels(await signedIn(label))).to.deep.equal([some(label)])
    expect(JSON.stringify(await world.settledEvents())).not.to.include('🦊')
  })

  it('is none if it is missing or empty', async () => {
    await signedIn(undefined)
    expect(await labels(await signedIn(''))).to.deep.equal([none, none])
  })

  it('is refused before any password if it is malformed, and that is noted', async () => {
    const malformed = { _tag: 'Invalid', problems: ['LabelMalformed'] }
    for (const password of ['old', 'wrong'])
      expect(await fail(signIn('Firefox\non Linux', password))).to.deep.equal(malformed)
    expect((await world.settledEvents()).at(-1)?.data).to.deep.equal({ reason: 'invalid_label' })
  })

  it('stays with a renewal, and is gone with a sign-out', async () => {
    const { token } = await succeed(signIn('Firefox'))
    const renewed = await succeed(world.service.renewSession(CONTEXT, world.caller, { token }))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signOut', renewed.token))
    expect(await labels(caller)).to.deep.equal([some('Firefox')])
    await succeed(world.service.signOut(CONTEXT, caller))
    expect(await kept()).to.deep.equal([false])
  })

  it('is not read of the sessions that a new password ends', async () => {
    const callers = [await signedIn('Firefox'), await signedIn('Firefox')]
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'new' }))
    for (const { session } of callers) {
      const found = await succeed(world.store.findSession(session.id))
      expect(isSome(found) && found.value.session.label).to.deep.equal(none)
    }
  })
})

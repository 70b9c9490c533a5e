import { expect } from 'chai'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { recordsOf } from './records.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const NOT_YOURS = { _tag: 'Invalid', problems: ['SessionNotYours'] }
const CHANGE = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }

describe('endSession, given Ada, who is signed in here and there', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  let there: typeof here
  beforeEach(async () => {
    world = await newWorld()
    here = await world.signIn()
    there = await world.signIn()
  })

  const end = (sessionId: string | undefined, { caller } = here) =>
    world.service.endSession(CONTEXT, caller, { sessionId })
  const idOf = ({ caller }: typeof here) => caller.session.id
  const isGood = async ({ token }: typeof here) =>
    (await world.service.authenticate(CONTEXT, 'getProfile', token)())._tag === 'Right'
  const signOuts = async () => (await world.events()).filter(({ type }) => type === 'UserSignedOut')

  it('when she ends the session there, then it ends and the current one stays alive, and it is logged', async () => {
    await succeed(end(idOf(there)))
    expect([await isGood(here), await isGood(there)]).to.deep.equal([true, false])
    const [{ id, position, at, ...noted } = { id: '', position: 0, at: '' }, ...more] = await signOuts()
    expect(noted).to.deep.equal({
      type: 'UserSignedOut',
      version: 1,
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'user', id: world.ada.id },
      request_id: 'request-1',
      data: { session_id: idOf(there) },
    })
    expect(more).to.deep.equal([])
  })

  it('when she ends the current session, then it is a sign-out', async () => {
    await succeed(end(idOf(here)))
    expect([await isGood(here), await isGood(there)]).to.deep.equal([false, true])
    expect((await signOuts()).map(({ data }) => data)).to.deep.equal([{ session_id: idOf(here) }])
  })

  const eve = async () => {
    const credentials = { email: 'eve@example.com', password: 'p' }
    await succeed(world.service.registerUser(CONTEXT, credentials, OPERATOR))
    const { token } = await succeed(world.service.signIn(CONTEXT, world.caller, credentials))
    return { token, caller: await succeed(world.service.authenticate(CONTEXT, 'getProfile', token)) }
  }

  const NOT_HERS: ReadonlyArray<readonly [what: string, session: () => Promise<string>]> = [
    ['an unknown one', async () => 'nothing'],
    ['one that no store can hold', async () => '\0'],
    ["another user's", async () => idOf(await eve())],
    ['her own in another case', async () => idOf(there).toUpperCase()],
    [
      'one that was signed out',
      async () => {
        await succeed(world.service.signOut(CONTEXT, there.caller))
        return idOf(there)
      },
    ],
    [
      'one that she has already ended',
      async () => {
        await succeed(end(idOf(there)))
        return idOf(there)
      },
    ],
    [
      'one that a password change has ended',
      async () => {
        await succeed(world.service.changePassword(CONTEXT, here.caller, CHANGE))
        return idOf(there)
      },
    ],
  ]
  for (const [what, session] of NOT_HERS) {
    it(`when she names ${what}, then it is not hers, and nothing changes`, async () => {
      const named = await session()
      const before = [await recordsOf(world.store), await world.events()]
      expect(await fail(end(named))).to.deep.equal(NOT_YOURS)
      await world.background.settle()
      expect([await recordsOf(world.store), await world.events()]).to.deep.equal(before)
    })
  }

  it('when she was disabled meanwhile, then no session is hers', async () => {
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    expect(await fail(end(idOf(there)))).to.deep.equal(NOT_YOURS)
  })

  it('when another change is faster, then it decides again on fresh facts', async () => {
    const { findSession } = world.store
    let reads = 0
    Object.assign(world.store, {
      findSession: (id: string) => async () => {
        const found = await findSession(id)()
        reads += 1
        if (reads === 1) await succeed(world.service.changePassword(CONTEXT, there.caller, CHANGE))
        return found
      },
    })
    await succeed(end(idOf(there))) // the change wrote it again, so it ends at its new version
    expect(await isGood(there)).to.equal(false)
    expect(reads).to.be.above(1)
  })

  it('when 50 end it concurrently from both sessions, then one succeeds, and one event is logged', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => end(idOf(there), index % 2 === 0 ? here : there)()),
    )
    const losers = outcomes.flatMap((outcome) => (outcome._tag === 'Left' ? [outcome.left] : []))
    expect(losers).to.deep.equal(Array(49).fill(NOT_YOURS))
    expect(await signOuts()).to.have.lengthOf(1)
  })
})

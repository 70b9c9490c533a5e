import { expect } from 'chai'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { pausingHasher } from './fakes.ts'
import { recordsOf } from './records.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const CHANGE = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }

describe('endOtherSessions, given Ada, who is signed in here and in two other places', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  let others: ReadonlyArray<typeof here>
  let pauseNext: ReturnType<typeof pausingHasher>['pauseNext']
  beforeEach(async () => {
    const pausing = pausingHasher()
    pauseNext = pausing.pauseNext
    world = await newWorld({ hasher: pausing.hasher })
    here = await world.signIn()
    others = [await world.signIn(), await world.signIn()]
  })

  const endOthers = ({ caller } = here) => world.service.endOtherSessions(CONTEXT, caller)
  const isGood = async (token: string) =>
    (await world.service.authenticate(CONTEXT, 'getProfile', token)())._tag === 'Right'
  const areGood = (sessions: ReadonlyArray<{ token: string }>) =>
    Promise.all(sessions.map(({ token }) => isGood(token)))
  const ended = async () => (await world.events()).filter(({ type }) => type === 'OtherSessionsEnded')

  it('when she ends the others, then only the current one stays alive, and it is logged', async () => {
    await succeed(endOthers())
    expect(await areGood([here, ...others])).to.deep.equal([true, false, false])
    const [{ id, position, at, ...noted } = { id: '', position: 0, at: '' }, ...more] = await ended()
    expect(noted).to.deep.equal({
      type: 'OtherSessionsEnded',
      version: 1,
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'user', id: world.ada.id },
      request_id: 'request-1',
      data: { sessions_version: 2, session_id: here.caller.session.id },
    })
    expect(more).to.deep.equal([])
  })

  it('when she has ended them, then her password is unchanged, and two rows were written', async () => {
    const before = await recordsOf(world.store)
    await succeed(endOthers())
    const after = await recordsOf(world.store)
    const { user, session } = here.caller
    expect(after.users).to.deep.equal([{ ...user, sessionsVersion: 2, version: user.version + 1 }])
    expect(after.sessions).to.deep.equal(
      before.sessions.map((row) =>
        row.id === session.id ? { ...row, sessionsVersion: 2, version: row.version + 1 } : row,
      ),
    )
    expect({ ...after, users: [], sessions: [] }).to.deep.equal({ ...before, users: [], sessions: [] })
    await world.signIn('old')
  })

  it('when there are no others, then it still succeeds', async () => {
    await succeed(endOthers())
    const caller = await succeed(world.service.authenticate(CONTEXT, 'endOtherSessions', here.token))
    await succeed(endOthers({ ...here, caller }))
    expect(await isGood(here.token)).to.equal(true)
    expect((await ended()).map(({ data }) => data)).to.deep.equal(
      [2, 3].map((sessions_version) => ({ sessions_version, session_id: here.caller.session.id })),
    )
  })

  it('when another user is signed in, then that session stays alive', async () => {
    const eve = { email: 'eve@example.com', password: 'p' }
    await succeed(world.service.registerUser(CONTEXT, eve, OPERATOR))
    const { token } = await succeed(world.service.signIn(CONTEXT, world.caller, eve))
    await succeed(endOthers())
    expect(await isGood(token)).to.equal(true)
  })

  it('when she signs in afterwards, then the new session and the current one are alive', async () => {
    await succeed(endOthers())
    const later = await world.signIn()
    expect(await areGood([here, later])).to.deep.equal([true, true])
  })

  it('when a sign-in has verified the password before, then its session has already ended', async () => {
    const pause = pauseNext()
    const late = world.service.signIn(CONTEXT, world.caller, { email: world.ada.email, password: 'old' })()
    await pause.reached
    await succeed(endOthers())
    pause.resume()
    const signedIn = await late
    if (signedIn._tag === 'Left') throw new Error('the sign-in itself was refused')
    expect(await isGood(signedIn.right.token)).to.equal(false)
  })

  it('when the current session changes the password concurrently, then both succeed', async () => {
    const pause = pauseNext()
    const change = world.service.changePassword(CONTEXT, here.caller, CHANGE)()
    await pause.reached
    await succeed(endOthers())
    pause.resume()
    expect((await change)._tag).to.equal('Right')
    expect(await areGood([here, ...others])).to.deep.equal([true, false, false])
    await world.signIn('new')
    const versions = (await world.events()).flatMap(({ data }) => [
      ...('sessions_version' in data ? [{ sessions: data.sessions_version }] : []),
      ...('password_version' in data ? [{ password: data.password_version }] : []),
    ])
    expect(versions).to.deep.equal([{ sessions: 2 }, { password: 2 }])
  })

  it('when another session changes the password concurrently, then that one finds its token invalid', async () => {
    const [other] = others
    if (other === undefined) throw new Error('there is no other')
    const pause = pauseNext()
    const change = world.service.changePassword(CONTEXT, other.caller, CHANGE)()
    await pause.reached
    await succeed(endOthers())
    pause.resume()
    expect(await change).to.deep.equal({ _tag: 'Left', left: { _tag: 'InvalidToken' } })
    await world.signIn('old')
  })

  it('when another session changed the password first, then the current one finds its token invalid', async () => {
    const [other] = others
    if (other === undefined) throw new Error('there is no other')
    await succeed(world.service.changePassword(CONTEXT, other.caller, CHANGE))
    expect(await fail(endOthers())).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await isGood(other.token)).to.equal(true)
  })

  it('when the current session changed the password first, then it succeeds on fresh facts', async () => {
    await succeed(world.service.changePassword(CONTEXT, here.caller, CHANGE))
    await succeed(endOthers())
    expect(await isGood(here.token)).to.equal(true)
    await world.signIn('new')
  })

  const DEAD: ReadonlyArray<readonly [what: string, end: () => Promise<unknown>]> = [
    ['was signed out', () => succeed(world.service.signOut(CONTEXT, here.caller))],
    ['was ended in another place', async () => succeed(endOthers(others[0]))],
    ['has expired', async () => world.clock.passSeconds(43_200 + 5)],
    ['is of a user who was disabled', () => succeed(world.service.disableUser(CONTEXT, world.ada.email))],
  ]
  for (const [what, end] of DEAD) {
    it(`when the session here ${what} meanwhile, then its token is invalid, and nothing changes`, async () => {
      await end()
      const before = [await recordsOf(world.store), await world.events()]
      expect(await fail(endOthers())).to.deep.equal({ _tag: 'InvalidToken' })
      await world.background.settle()
      expect([await recordsOf(world.store), await world.events()]).to.deep.equal(before)
    })
  }

  const refusedFor = (retryAfterSeconds: number) => ({
    _tag: 'Throttled',
    retryAfterSeconds,
    tooMany: 'ended_sessions',
  })
  const callerAgain = async (token: string) =>
    succeed(world.service.authenticate(CONTEXT, 'endOtherSessions', token))
  /** The thief of the token repeats what it permits, with fresh facts each time. */
  const endTimes = async (times: number, { token } = here) => {
    for (let each = 0; each < times; each += 1)
      await succeed(endOthers({ ...here, caller: await callerAgain(token) }))
  }

  it('when a session has ended the others 30 times within an hour, then it waits, and another one does not', async () => {
    await endTimes(30)
    world.clock.passSeconds(600)
    expect(await fail(endOthers())).to.deep.equal(refusedFor(3_000))
    const owner = await world.signIn()
    await succeed(endOthers(owner))
    expect(await areGood([here, owner])).to.deep.equal([false, true])
  })

  it('when a session waits, then it cannot end another one singly either, but itself and with a new password', async () => {
    await endTimes(30)
    const other = await world.signIn()
    const end = async ({ caller }: typeof here) =>
      world.service.endSession(CONTEXT, await callerAgain(here.token), { sessionId: caller.session.id })
    expect(await fail(await end(other))).to.deep.equal(refusedFor(3_600))
    expect(await isGood(other.token)).to.equal(true)
    await succeed(world.service.changePassword(CONTEXT, await callerAgain(here.token), CHANGE))
    expect(await isGood(other.token)).to.equal(false)
    await world.signIn('new')
    await succeed(await end(here))
  })

  it('when single ends and ends of all others are 30 together, then the session waits', async () => {
    await endTimes(15)
    for (let each = 0; each < 15; each += 1) {
      const { caller } = await world.signIn()
      await succeed(world.service.endSession(CONTEXT, here.caller, { sessionId: caller.session.id }))
    }
    expect(await fail(endOthers())).to.deep.equal(refusedFor(3_600))
  })

  it('when all sessions of the user have ended others 100 times, then each waits until the hour is over', async () => {
    for (let each = 0; each < 3; each += 1) await endTimes(30, await world.signIn())
    await endTimes(10, await world.signIn())
    const last = await world.signIn()
    expect(await fail(endOthers(last))).to.deep.equal(refusedFor(3_600))
    world.clock.passSeconds(3_600)
    await succeed(endOthers(last))
  })

  it('when the token is invalid by then, then that does not count', async () => {
    await succeed(world.service.signOut(CONTEXT, here.caller))
    for (let each = 0; each < 31; each += 1)
      expect(await fail(endOthers())).to.have.property('_tag', 'InvalidToken')
    await succeed(endOthers(others[0]))
  })
})

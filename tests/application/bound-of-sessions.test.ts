import { expect } from 'chai'
import { MAX_SESSIONS } from '../../domain/session.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('signIn, given a user with as many sessions as a user may have', () => {
  let world: World
  let opened: ReadonlyArray<string>
  let oldest: string

  const alive = async (): Promise<ReadonlyArray<string>> => {
    const rows = await succeed(world.store.listRows({ table: 'sessions', after: '', limit: 1_000 }))
    return rows.filter(({ signedOut }) => !signedOut).map(({ id }) => id)
  }
  const signIn = () =>
    succeed(
      world.service.signIn(CONTEXT, world.caller, {
        email: world.ada.email,
        password: 'old',
        label: 'Firefox',
      }),
    )
  const displaced = async () =>
    (await world.events()).flatMap(({ type, data }) => (type === 'UserSignedOut' ? [data] : []))
  const disagreements = async () => (await succeed(world.service.checkLog)).disagreements

  beforeEach(async () => {
    world = await newWorld({ environment: { SESSION_TTL: '86400' } })
    oldest = (await signIn()).token
    world.clock.passSeconds(1)
    for (let count = 1; count < MAX_SESSIONS; count += 1) {
      await signIn()
      world.clock.passSeconds(1)
    }
    opened = await alive()
    expect(opened).to.have.lengthOf(MAX_SESSIONS)
  })

  it('when she signs in again, then the session that expires first ends in the same change, and the log says why', async () => {
    await signIn()
    const now = await alive()
    expect(now).to.have.lengthOf(MAX_SESSIONS)
    expect(now).to.not.include(opened[0])
    const newest = now.find((id) => !opened.includes(id))
    expect(await displaced()).to.deep.equal([{ session_id: opened[0], displaced_by: newest }])
    expect(await disagreements()).to.deep.equal([])
  })

  it('when the oldest session was renewed, then another one ends', async () => {
    await succeed(world.service.renewSession(CONTEXT, world.caller, { token: oldest }))
    await signIn()
    expect((await displaced()).map(({ session_id }) => session_id)).to.deep.equal([opened[1]])
  })

  it('when many sign-ins run at once, then all succeed, and the next one leaves as many as a user may have', async () => {
    await Promise.all(Array.from({ length: 20 }, signIn))
    expect((await alive()).length).to.be.at.most(MAX_SESSIONS + 19)
    await signIn()
    expect(await alive()).to.have.lengthOf(MAX_SESSIONS)
    expect(await disagreements()).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const PASSWORD = 'old'

describe('stepUp, given Ada, who is signed in', () => {
  const work: Array<'hash' | 'verify'> = []
  const hasher = plainHasher(async (kind) => {
    work.push(kind)
    return undefined
  })
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld({ hasher })
    here = await world.signIn()
    work.length = 0
  })

  const stepUp = (password: string | undefined, caller = here.caller) =>
    world.service.stepUp(CONTEXT, caller, { password })
  const types = async () => (await world.settledEvents()).map(({ type }) => type)

  it('when the password is right, then it is compared once and never hashed again', async () => {
    const stepped = await succeed(stepUp(PASSWORD))
    expect(stepped).to.have.all.keys('token', 'expiresInSeconds', 'acr', 'amr')
    expect(work).to.deep.equal(['verify'])
    expect(await types()).to.deep.equal(['UserSignedIn', 'SessionSteppedUp'])
  })

  it('when ten step up at once, then each succeeds with one comparison', async () => {
    await Promise.all(Array.from({ length: 10 }, () => succeed(stepUp(PASSWORD))))
    expect(work).to.deep.equal(Array.from({ length: 10 }, () => 'verify'))
  })

  it('when the password is wrong, then the work is the same, and the refusal is noted', async () => {
    expect(await fail(stepUp('wrong'))).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordWrong'] })
    expect(work).to.deep.equal(['verify'])
    expect(await types()).to.deep.equal(['UserSignedIn', 'SignInRefused'])
  })

  it('when the password is missing, then nothing is compared or noted', async () => {
    expect(await fail(stepUp(undefined))).to.deep.equal({ _tag: 'Invalid', problems: ['ProofMissing'] })
    expect(work).to.deep.equal([])
    expect(await types()).to.deep.equal(['UserSignedIn'])
  })

  it('when no application of her session is recorded, then she signs in again: none could renew it', async () => {
    const caller = { ...here.caller, application: none }
    expect(await fail(stepUp(PASSWORD, caller))).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await types()).to.deep.equal(['UserSignedIn'])
  })

  it('when the clock was set back, then the session is not authenticated after the entry', async () => {
    world.clock.passSeconds(-3_600)
    await succeed(stepUp(PASSWORD))
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })
})

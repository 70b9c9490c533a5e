import { expect } from 'chai'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const CHANGE = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
const WRONG = { _tag: 'Invalid', problems: ['OldPasswordWrong'] }

describe('changePassword, given that Ada has just changed her password', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  let verified: number
  beforeEach(async () => {
    verified = 0
    const hasher = plainHasher(async (work) => {
      if (work === 'verify') verified += 1
      return undefined
    })
    world = await newWorld({ environment: { THROTTLE_ACCOUNT_FAILURES: '10' }, hasher })
    here = await world.signIn()
    await succeed(change())
    verified = 0
  })

  /** The caller of each request is read anew. */
  const callerOf = ({ token }: typeof here) =>
    succeed(world.service.authenticate(CONTEXT, 'changePassword', token))
  const change =
    (more: Partial<typeof CHANGE> = {}, by = here) =>
    async () =>
      world.service.changePassword(CONTEXT, await callerOf(by), {
        ...CHANGE,
        ...more,
        acceptsRepetition: true,
      })()

  it('when a page sends the same again, then it succeeds, and changes and notes nothing', async () => {
    const before = await world.settledEvents()
    await succeed(change())
    expect(await world.settledEvents()).to.deep.equal(before)
  })

  it('when a page sends the same twice at once, then both succeed, and one changes it', async () => {
    const form = { oldPassword: 'new', newPassword: 'newer', newPasswordCheck: 'newer' }
    await Promise.all([succeed(change(form)), succeed(change(form))])
    const changes = (await world.settledEvents()).filter(({ type }) => /^PasswordChange/.test(type))
    expect(changes.map(({ type }) => type)).to.deep.equal(['PasswordChanged', 'PasswordChanged'])
  })

  it('when the API gets the same again, then the old password is wrong', async () => {
    expect(await fail(world.service.changePassword(CONTEXT, await callerOf(here), CHANGE))).to.deep.equal(
      WRONG,
    )
  })

  it('when a page sends it after a minute, then the old password is wrong', async () => {
    world.clock.passSeconds(60)
    expect(await fail(change())).to.deep.equal(WRONG)
  })

  it('when another session sends it, then the old password is wrong', async () => {
    expect(await fail(change({}, await world.signIn('new')))).to.deep.equal(WRONG)
  })

  it('when a thief of the cookie guesses the new password, then each guess costs and counts as one', async () => {
    const guess = { newPassword: 'guess', newPasswordCheck: 'guess' }
    for (let each = 0; each < 5; each += 1) expect(await fail(change(guess))).to.deep.equal(WRONG)
    expect(verified).to.equal(10)
    expect(await fail(change(guess))).to.have.property('_tag', 'Throttled')
    expect(await fail(change()), 'also of the right one').to.have.property('_tag', 'Throttled')
  })
})

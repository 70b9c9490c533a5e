import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser } from '../support/second-factors.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { shopOfAda } from './shop-of-ada.ts'
import { CONTEXT } from './world.ts'

const NOT_VERIFIED = { _tag: 'EmailNotVerified' }
const problems = (...found: ReadonlyArray<string>) => ({ _tag: 'Invalid', problems: found })

describe('an application that requires a verified e-mail', () => {
  let world: AccountLife
  beforeEach(async () => {
    world = await newAccountLife({ environment: FACTOR_SETTINGS })
  })

  const { set, caller, signIn, renew, expectRefused, expectNoFailures } = shopOfAda(() => world)
  const require = (requireVerifiedEmail: boolean) => set({ requireVerifiedEmail })
  const confirm = async () =>
    succeed(world.service.completeEmailConfirmation(CONTEXT, { token: await world.confirmationToken() }))
  /** Signs Ada in with the first step, and returns the token of the second. */
  const firstStep = async (): Promise<string> => {
    const outcome = await (await signIn())()
    if (isLeft(outcome) && outcome.left._tag === 'SecondFactorDue') return outcome.left.token
    throw new Error('no second factor is due')
  }
  const secondStep = async (token: string, { codeAt }: EnrolledUser) =>
    world.service.completeSignIn(CONTEXT, await caller(), { token, totp: codeAt(world.clock.read()) })

  it('opens no session before the user has confirmed one, and notes why', async () => {
    await require(true)
    await expectRefused(NOT_VERIFIED, 'email_not_verified')
    await confirm()
    expect(await succeed(await signIn())).to.have.property('emailVerified', true)
    expect(await world.disagreements()).to.deep.equal([])
  })

  it('does not count the right password as a failure, and says nothing after a wrong one', async () => {
    await require(true)
    await expectNoFailures(NOT_VERIFIED)
  })

  it('begins no second step before, and completes none that began before the requirement', async () => {
    const enrolled = await enrolUser(world.store, world.ada.id)
    const waiting = await firstStep()
    await require(true)
    expect(await fail(await signIn())).to.deep.equal(NOT_VERIFIED)
    expect(await fail(await secondStep(waiting, enrolled))).to.deep.equal(problems('TokenEnded'))
    await require(false)
    await succeed(await secondStep(waiting, enrolled))
    const requested = (await world.events()).filter(({ type }) => type === 'SecondFactorRequested')
    expect(requested).to.have.lengthOf(1)
  })

  it('renews no session of the user before, though the session goes on', async () => {
    const { token } = await succeed(await signIn())
    await require(true)
    expect(await fail(await renew(token))).to.deep.equal(problems('TokenUnusable'))
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
    await confirm()
    await succeed(await renew(token))
  })
})

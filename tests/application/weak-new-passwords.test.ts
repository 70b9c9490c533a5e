import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { UserCaller } from '../../domain/access.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const WEAK = { _tag: 'Invalid', problems: ['PasswordCommon'] }
type Changing = TaskEither<Readonly<{ _tag: string }>, unknown>
const throttledFor = (retryAfterSeconds: number) => ({ _tag: 'Throttled', retryAfterSeconds })

describe('weak new passwords with the right old one, given that three failures are the limit', () => {
  let looked: number
  let world: World
  let caller: UserCaller
  beforeEach(async () => {
    const find = Object.assign(
      (password: string | undefined) => async () => {
        looked += 1
        const isWeak = password === 'weak' || password === 'short'
        return right(isWeak ? some('PasswordCommon' as const) : none)
      },
      { isExpensive: (password: string | undefined) => password !== 'short' },
    )
    world = await newWorld({
      environment: { THROTTLE_ACCOUNT_FAILURES: '3' },
      modules: [provide(Dependency.findWeakness, () => find)],
    })
    ;({ caller } = await world.signIn())
    looked = 0
  })

  const change = (newPassword: string, oldPassword = 'old', as = caller): Changing =>
    world.service.changePassword(CONTEXT, as, { oldPassword, newPassword, newPasswordCheck: newPassword })
  it('when three were sent, then the fourth waits and is not looked up', async () => {
    for (let each = 0; each < 3; each += 1) expect(await fail(change('weak'))).to.deep.equal(WEAK)
    expect(await fail(change('weak'))).to.deep.equal(throttledFor(30))
    expect(looked).to.equal(3)
  })

  it('when three were sent, then the refusal is noted without codes', async () => {
    for (let each = 0; each < 4; each += 1) await fail(change('weak'))
    const noted = (await world.settledEvents()).filter(({ type }) => type === 'PasswordChangeRefused')
    expect(noted.at(-1)).to.deep.include({
      subject: { kind: 'user', id: world.ada.id },
      data: { codes: [] },
    })
  })

  it('when three were sent, then a good one passes after the wait', async () => {
    for (let each = 0; each < 3; each += 1) await fail(change('weak'))
    expect(await fail(change('good'))).to.deep.equal(throttledFor(30))
    world.clock.passSeconds(30)
    await succeed(change('good'))
    await world.signIn('good')
  })

  it('when they are too short to be looked up, then they do not count', async () => {
    for (let each = 0; each < 9; each += 1) expect(await fail(change('short'))).to.deep.equal(WEAK)
    await succeed(change('good'))
  })

  it('when good ones are refused for another field, then they do not count', async () => {
    for (let each = 0; each < 9; each += 1) {
      const request = { oldPassword: 'old', newPassword: 'good', newPasswordCheck: 'other' }
      const refused = world.service.changePassword(CONTEXT, caller, request)
      expect((await fail(refused))._tag).to.equal('Invalid')
    }
    await succeed(change('good'))
  })
  it('when three were sent, then they count in every session', async () => {
    const { caller: elsewhere } = await world.signIn()
    await fail(change('weak'))
    await fail(change('weak', 'old', elsewhere))
    await fail(change('weak'))
    for (const refused of [change('weak'), change('weak', 'old', elsewhere)])
      expect(await fail(refused)).to.deep.equal(throttledFor(30))
  })

  it('when three were sent, then neither sign-ins nor the removal nor another user waits', async () => {
    const eve = { email: 'eve@example.com', password: 'old' }
    await succeed(world.service.registerUser(CONTEXT, { ...eve, password: 'old' }, OPERATOR))
    for (let each = 0; each < 4; each += 1) await fail(change('weak'))
    await world.signIn()
    await succeed(world.service.removeOwnAccount(CONTEXT, caller, { password: 'old' }))
  })

  it('when the old password is missing, then they count in the session, because they are looked up all the same', async () => {
    for (let each = 0; each < 3; each += 1) expect((await fail(change('weak', '')))._tag).to.equal('Invalid')
    expect(await fail(change('good', ''))).to.deep.equal(throttledFor(30))
    expect(looked).to.equal(3)
  })

  it('when the old password is wrong, then they count in the session only, and the owner does not wait elsewhere', async () => {
    const { caller: elsewhere } = await world.signIn()
    for (let each = 0; each < 9; each += 1) await fail(change('weak', 'wrong'))
    expect(looked).to.equal(3)
    await succeed(change('good', 'old', elsewhere))
  })
})

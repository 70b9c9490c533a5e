import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const HERE = '198.51.100.1'
const STRANGE = '192.0.2.1'

describe('the failures of an account, given the limits of 30 in a network and 100 in all', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: { THROTTLE_ACCOUNT_FAILURES: '30' } })
  })

  const signIn = (network: string | undefined, password: string, email = ADA) =>
    world.service.signIn(
      network === undefined ? CONTEXT : { ...CONTEXT, endUserAddress: network },
      world.caller,
      { email, password },
    )
  type Attempt = (network: string, password: string, email?: string) => TaskEither<{ _tag: string }, unknown>
  const failTimes = async (
    times: number,
    attempt: () => ReturnType<Attempt>,
  ): Promise<ReadonlyArray<string>> => {
    const tags: Array<string> = []
    for (let each = 0; each < times; each += 1) {
      const outcome = await attempt()()
      tags.push(isLeft(outcome) ? outcome.left._tag : 'success')
    }
    return tags
  }
  const WRONG = (times: number) => Array.from({ length: times }, () => 'Invalid')

  for (const [what, attempt] of [['sign-ins with X-End-User-Address', signIn]] as ReadonlyArray<
    readonly [string, Attempt]
  >) {
    it(`when a stranger fails 30 times in one network, then the owner in another one is not delayed, for ${what}`, async () => {
      expect(await failTimes(31, () => attempt(STRANGE, 'wrong'))).to.deep.equal([...WRONG(30), 'Throttled'])
      // More attempts in the refused network do not reach the account.
      await failTimes(100, () => attempt(STRANGE, 'wrong'))
      await succeed(attempt(HERE, 'old'))
    })

    it(`when strangers fail 100 times in four networks, then the account waits everywhere, for ${what}`, async () => {
      for (const [index, times] of [30, 30, 30, 10].entries())
        expect(await failTimes(times, () => attempt(`192.0.2.${index}`, 'wrong'))).to.deep.equal(WRONG(times))
      expect(await fail(attempt(HERE, 'old'))).to.deep.equal({ _tag: 'Throttled', retryAfterSeconds: 30 })
      world.clock.passSeconds(30)
      await succeed(attempt(HERE, 'old'))
    })

    it(`when no account has the e-mail, then the same counts, for ${what}`, async () => {
      const unknown = 'unknown@example.com'
      for (const [index, times] of [30, 30, 30, 10].entries())
        expect(await failTimes(times, () => attempt(`192.0.2.${index}`, 'wrong', unknown))).to.deep.equal(
          WRONG(times),
        )
      expect(await fail(attempt(HERE, 'wrong', unknown))).to.deep.equal({
        _tag: 'Throttled',
        retryAfterSeconds: 30,
      })
    })
  }

  it('when the network is unknown, then all such failures count together, and known networks go on', async () => {
    expect(await failTimes(31, () => signIn(undefined, 'wrong'))).to.deep.equal([...WRONG(30), 'Throttled'])
    await succeed(signIn(HERE, 'old'))
  })

  it('when the owner succeeds, then the count of the account is over, and that of another network is not', async () => {
    await failTimes(30, () => signIn(STRANGE, 'wrong'))
    await failTimes(29, () => signIn(HERE, 'wrong'))
    await succeed(signIn(HERE, 'old'))
    expect(await fail(signIn(STRANGE, 'old'))).to.have.property('_tag', 'Throttled')
    for (const network of [HERE, '192.0.2.2', '192.0.2.3'])
      expect(await failTimes(30, () => signIn(network, 'wrong'))).to.deep.equal(WRONG(30))
    expect(await failTimes(11, () => signIn('192.0.2.4', 'wrong'))).to.deep.equal([...WRONG(10), 'Throttled'])
  })

  it('when an operator sets the password, then the account and the unknown network are free', async () => {
    await failTimes(30, () => signIn(undefined, 'wrong'))
    for (const network of ['192.0.2.2', '192.0.2.3', '192.0.2.4'])
      await failTimes(30, () => signIn(network, 'wrong'))
    expect(await fail(signIn(HERE, 'old'))).to.have.property('_tag', 'Throttled')
    await succeed(world.service.setPassword(CONTEXT, { user: ADA, password: 'new' }))
    await succeed(signIn(undefined, 'new'))
    await succeed(signIn(HERE, 'new'))
  })

  it('when the limit of a network is above 100, then that of the account is as high', async () => {
    world = await newWorld({ environment: { THROTTLE_ACCOUNT_FAILURES: '120' } })
    await succeed(world.service.registerUser(CONTEXT, { email: 'eve@example.com', password: 'p' }, OPERATOR))
    const eve = () => signIn(undefined, 'wrong', 'eve@example.com')
    expect(await failTimes(121, eve)).to.deep.equal([...WRONG(120), 'Throttled'])
  })
})

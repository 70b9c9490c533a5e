import { expect } from 'chai'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const HERE = '198.51.100.1'
const BUSY = '192.0.2.1'

describe('the sign-ins of a user, of which a network has three a minute and all together twelve', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: { THROTTLE_SIGN_INS: '3' } })
  })

  const signIn = (network: string | undefined, password = 'old') =>
    world.service.signIn(
      network === undefined ? CONTEXT : { ...CONTEXT, endUserAddress: network },
      world.caller,
      { email: ADA, password },
    )
  const signInTimes = async (times: number, network?: string) => {
    for (let each = 0; each < times; each += 1) await succeed(signIn(network))
  }
  const refusedFor = (retryAfterSeconds: number) => ({
    _tag: 'Throttled',
    retryAfterSeconds,
    tooMany: 'sign_ins',
  })

  for (const network of [BUSY, undefined]) {
    it(`when three succeeded in ${network ?? 'the unknown network'}, then it waits for the minute, and another does not`, async () => {
      await signInTimes(2, network)
      world.clock.passSeconds(20)
      await signInTimes(1, network)
      expect(await fail(signIn(network))).to.deep.equal(refusedFor(40))
      await succeed(signIn(HERE))
      world.clock.passSeconds(40)
      await succeed(signIn(network))
    })
  }

  it('when twelve succeeded in four networks, then all others wait for at most a minute', async () => {
    for (const network of [BUSY, '192.0.2.2', '192.0.2.3', '192.0.2.4']) await signInTimes(3, network)
    expect(await fail(signIn(HERE))).to.deep.equal(refusedFor(60))
    world.clock.passSeconds(60)
    await succeed(signIn(HERE))
  })

  it('when passwords are wrong, then they do not count: strangers cannot use up the limit', async () => {
    for (let each = 0; each < 20; each += 1)
      expect(await fail(signIn(HERE, 'wrong'))).to.have.property('_tag', 'Invalid')
    await signInTimes(3, HERE)
  })

  it('when a hundred come at once, then three sessions open', async () => {
    const before = (await world.events()).filter(({ type }) => type === 'UserSignedIn').length
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => signIn(BUSY)()))
    expect(outcomes.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(3)
    const after = (await world.events()).filter(({ type }) => type === 'UserSignedIn').length
    expect(after - before).to.equal(3)
  })

  it('when one is refused, then a refused sign-in is noted', async () => {
    await signInTimes(3)
    await fail(signIn(undefined))
    await world.background.settle()
    const [refused] = (await world.events()).filter(({ type }) => type === 'SignInRefused')
    expect(refused?.data).to.deep.equal({ reason: 'too_many_failures' })
  })
})

import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import { callerFailed, throttle } from '../../application/throttling/throttle.ts'
import type { SignInRequest } from '../../domain/sign-in.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { refusingHasher, settableClock } from './fakes.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const LIMIT = { THROTTLE_ACCOUNT_FAILURES: '3' }
const throttledFor = (retryAfterSeconds: number) => ({ _tag: 'Throttled', retryAfterSeconds })

const given = async (hasher = plainHasher()) => {
  const world = await newWorld({ environment: LIMIT, hasher })
  const signIn = (password: string, email = ADA) =>
    world.service.signIn(CONTEXT, world.caller, { email, password })
  const failTimes = async (times: number, email = ADA) => {
    for (let each = 0; each < times; each += 1) await fail(signIn('wrong', email))
  }
  return { ...world, signInWith: signIn, failTimes }
}

describe('signIn, given that three failures in a row are the limit', () => {
  for (const [whose, email] of [
    ['an account', ADA],
    ['an unknown one', 'unknown@example.com'],
  ] as const) {
    it(`when three sign-ins to ${whose} failed, then the fourth has to wait`, async () => {
      const { signInWith, failTimes } = await given()
      await failTimes(3, email)
      expect(await fail(signInWith('old', email))).to.deep.equal(throttledFor(30))
    })
  }

  it('when it has to wait, then no password is hashed, and that is noted', async () => {
    let hashes = 0
    const counting = plainHasher(async () => {
      hashes += 1
      return undefined
    })
    const { signInWith, failTimes, settledEvents } = await given(counting)
    await failTimes(3)
    hashes = 0
    await fail(signInWith('old'))
    expect(hashes).to.equal(0)
    expect((await settledEvents()).at(-1)?.data).to.deep.equal({ reason: 'too_many_failures' })
  })

  it('when it comes after the wait, then one more passes, and the next waits twice as long', async () => {
    const { signInWith, failTimes, clock } = await given()
    await failTimes(3)
    clock.passSeconds(30)
    expect((await fail(signInWith('wrong')))._tag).to.equal('Invalid')
    expect(await fail(signInWith('old'))).to.deep.equal(throttledFor(60))
  })

  it('when a hundred come concurrently, then three are examined', async () => {
    const { signInWith } = await given()
    const guesses = Array.from({ length: 100 }, (_, index) => fail(signInWith(`guess ${index}`)))
    const tags = (await Promise.all(guesses)).map(({ _tag }) => _tag)
    expect(tags.filter((tag) => tag === 'Invalid')).to.have.length(3)
    expect(tags.filter((tag) => tag === 'Throttled')).to.have.length(97)
  })

  it('when one succeeds, then the count is reset', async () => {
    const { signInWith, failTimes } = await given()
    for (let round = 0; round < 3; round += 1) {
      await failTimes(2)
      await succeed(signInWith('old'))
    }
  })

  it('when the e-mail is written in another case, then it is the same account', async () => {
    const { signInWith, failTimes } = await given()
    await failTimes(2)
    await failTimes(1, 'ADA@EXAMPLE.COM')
    expect((await fail(signInWith('old')))._tag).to.equal('Throttled')
  })

  it('when another account failed, then this one does not wait', async () => {
    const { signInWith, failTimes } = await given()
    await failTimes(5, 'eve@example.com')
    await succeed(signInWith('old'))
  })

  it('when the right password of a disabled user is tried, then it counts like any other', async () => {
    const { signInWith, service, failTimes } = await given()
    await succeed(service.disableUser(CONTEXT, ADA))
    await failTimes(2)
    await fail(signInWith('old'))
    expect((await fail(signInWith('old')))._tag).to.equal('Throttled')
  })

  const NO_GUESSES: ReadonlyArray<[what: string, request: SignInRequest]> = [
    ['has no password', { email: ADA, password: '' }],
    ['has no e-mail', { email: undefined, password: 'x' }],
    ['has a malformed e-mail', { email: 'ada', password: 'x' }],
  ]
  for (const [what, request] of NO_GUESSES) {
    it(`when a request ${what}, then it never has to wait`, async () => {
      const { service, caller } = await given()
      for (let each = 0; each < 5; each += 1)
        expect((await fail(service.signIn(CONTEXT, caller, request)))._tag).to.equal('Invalid')
    })
  }

  it('when the hasher is overloaded, then it does not count', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 1 })
    const { signInWith, failTimes } = await given(hasher)
    await failTimes(2)
    hasher.refusing = true
    for (let each = 0; each < 5; each += 1)
      expect((await fail(signInWith('old')))._tag).to.equal('Overloaded')
    hasher.refusing = false
    await succeed(signInWith('old'))
  })

  it('when an operator sets the password, then the next sign-in is not throttled', async () => {
    const { signInWith, failTimes, service } = await given()
    await failTimes(3)
    await succeed(service.setPassword(CONTEXT, { user: 'ADA@example.com', password: 'newer' }))
    await succeed(signInWith('newer'))
  })

  it('when failures cannot be counted, then nothing is hashed and nothing is logged', async () => {
    const { signInWith, service } = await given()
    await service.close()
    expect((await fail(signInWith('old')))._tag).to.equal('StoreUnavailable')
  })
})

describe('changePassword, given that three failures in a row are the limit', () => {
  const changeIn =
    ({ service }: World, { caller }: Awaited<ReturnType<World['signIn']>>) =>
    (oldPassword: string) =>
      service.changePassword(CONTEXT, caller, { oldPassword, newPassword: 'new', newPasswordCheck: 'new' })

  it('when three old passwords were wrong, then the right one has to wait, in this session only', async () => {
    const world = await given()
    const [here, elsewhere] = [await world.signIn(), await world.signIn()]
    const change = changeIn(world, here)
    for (const wrong of ['a', 'b', 'c']) expect((await fail(change(wrong)))._tag).to.equal('Invalid')
    expect(await fail(change('old'))).to.deep.equal(throttledFor(30))
    await succeed(changeIn(world, elsewhere)('old'))
  })

  it('when it has to wait, then that is noted without codes', async () => {
    const world = await given()
    const change = changeIn(world, await world.signIn())
    for (const wrong of ['a', 'b', 'c', 'd']) await fail(change(wrong))
    const [, , third, fourth] = (await world.settledEvents()).slice(-4)
    expect(third?.data).to.deep.equal({ codes: [4] })
    expect(fourth).to.deep.include({ type: 'PasswordChangeRefused', data: { codes: [] } })
  })

  it('when old passwords were wrong, then that counts on the account too', async () => {
    const world = await given()
    const change = changeIn(world, await world.signIn())
    for (const wrong of ['a', 'b', 'c']) await fail(change(wrong))
    expect(await fail(world.signInWith('old'))).to.deep.equal(throttledFor(30))
  })

  it('when other clients failed to sign in, then the owner can still change the password, and sign in with it', async () => {
    const world = await given()
    const change = changeIn(world, await world.signIn())
    await world.failTimes(10)
    expect((await fail(world.signInWith('old')))._tag).to.equal('Throttled')
    await succeed(change('old'))
    await succeed(world.signInWith('new'))
  })

  it('when the old password is missing, then nothing is counted', async () => {
    const world = await given()
    const change = changeIn(world, await world.signIn())
    for (let each = 0; each < 5; each += 1) expect((await fail(change('')))._tag).to.equal('Invalid')
    await succeed(change('old'))
  })

  it('when the old password is right and another field is wrong, then the count is reset', async () => {
    const world = await given()
    const { caller } = await world.signIn()
    const change = changeIn(world, { token: '', caller })
    for (let round = 0; round < 3; round += 1) {
      await fail(change('wrong'))
      await fail(change('wrong'))
      const half = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'other' }
      expect(await fail(world.service.changePassword(CONTEXT, caller, half))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['NewPasswordCheckDiffers'],
      })
    }
    await succeed(change('old'))
  })
})

describe('a caller whose own keys or token fail, given that two failures are the limit', () => {
  const counted = () => {
    const clock = settableClock(NOW)
    const limits = { accountFailures: 1, addressFailures: 2, recoveriesPerHour: 1, registrationsPerHour: 1 }
    const counts = memoryFailureCounts(clock.read)
    const failed = callerFailed(throttle({ counts, clock: clock.read, digests: nodeDigests, limits }))
    const from = async (address: string | undefined) => {
      const told = await failed('failed', { address: () => address })
      return isRight(told) ? undefined : told.left
    }
    return { from, clock, counts }
  }

  it('is throttled after two failures from one network, and no other network is', async () => {
    const { from } = counted()
    expect(await from('192.0.2.1')).to.equal('failed')
    expect(await from('192.0.2.1')).to.equal('failed')
    expect(await from('192.0.2.1')).to.deep.equal(throttledFor(30))
    expect(await from('192.0.2.2')).to.equal('failed')
  })

  it('gets only the failure when its network is unknown', async () => {
    const { from } = counted()
    for (let each = 0; each < 5; each += 1) expect(await from(undefined)).to.equal('failed')
  })

  it('gets only the failure when failures cannot be counted', async () => {
    const { from, counts } = counted()
    await counts.close()
    for (let each = 0; each < 5; each += 1) expect(await from('192.0.2.1')).to.equal('failed')
  })
})

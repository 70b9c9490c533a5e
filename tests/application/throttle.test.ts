import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, type Module, memoryStore, provide } from '../../adapters/index.ts'
import type { Store } from '../../application/ports/store.ts'
import type { SignInRequest } from '../../domain/sign-in.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { refusingHasher } from './fakes.ts'
import { allEvents, CONTEXT, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const LIMIT = { THROTTLE_ACCOUNT_FAILURES: '3' }
const throttledFor = (retryAfterSeconds: number) => ({ _tag: 'Throttled', retryAfterSeconds })

const given = async (hasher = plainHasher(), ...modules: ReadonlyArray<Module>) => {
  const world = await newWorld({ environment: LIMIT, hasher, modules })
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

  it('when it has to wait, then no account is looked up, no password is hashed, and that is noted', async () => {
    const work: Array<string> = []
    const counting = plainHasher(async (kind) => {
      work.push(kind)
      return undefined
    })
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      findUserByEmail: (email) => {
        work.push(email)
        return inner.findUserByEmail(email)
      },
    }
    const { signInWith, failTimes, service, background } = await given(
      counting,
      provide(Dependency.storage, () => ({ store })),
    )
    await failTimes(3)
    work.splice(0)
    await fail(signInWith('old'))
    expect(work).to.deep.equal([])
    await background.settle()
    const noted = (await allEvents(service.store)).at(-1)
    expect(noted).to.deep.include({
      subject: { kind: 'service', id: 'portcullis' },
      data: { reason: 'too_many_failures' },
    })
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

  it('when accounts cannot be read, then it does not count', async () => {
    const inner = memoryStore()
    let isAway = false
    const away = async () => left({ _tag: 'StoreUnavailable', reason: 'away' } as const)
    const store: Store = {
      ...inner,
      findUserByEmail: (email) => (isAway ? away : inner.findUserByEmail(email)),
    }
    const { signInWith } = await given(
      plainHasher(),
      provide(Dependency.storage, () => ({ store })),
    )
    isAway = true
    for (let each = 0; each < 5; each += 1)
      expect((await fail(signInWith('old')))._tag).to.equal('StoreUnavailable')
    isAway = false
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

  it('when sign-ins have to wait, then wrong old passwords do not extend that wait', async () => {
    const world = await given()
    const change = changeIn(world, await world.signIn())
    await world.failTimes(3)
    for (const wrong of ['a', 'b', 'c']) await fail(change(wrong))
    world.clock.passSeconds(30)
    await world.failTimes(1)
    expect(await fail(world.signInWith('old'))).to.deep.equal(throttledFor(60))
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

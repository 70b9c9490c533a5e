import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const HOUR = 3_600
const HERE = '192.0.2.1'
const throttledFor = (retryAfterSeconds: number) => ({
  _tag: 'Throttled',
  retryAfterSeconds,
  tooMany: 'registrations',
})

/** Registrations by an application, each of another user unless the request says otherwise. */
const registering = (world: World) => {
  let users = 0
  return (request: object = {}, endUserAddress: string | undefined = HERE, by?: string) => {
    users += 1
    const context = endUserAddress === '' ? CONTEXT : { ...CONTEXT, endUserAddress }
    const actor = { kind: 'application', id: by ?? world.shop.application.id } as const
    const user = { email: `user-${users}@example.com`, password: 'p', ...request }
    return world.service.registerUser(context, user, actor)
  }
}

describe('registerUser for an end user, given that three an hour from one network are the limit', () => {
  let world: World
  let hashes: number
  let register: ReturnType<typeof registering>
  beforeEach(async () => {
    const hasher = plainHasher(async () => {
      hashes += 1
      return undefined
    })
    world = await newWorld({ environment: { THROTTLE_REGISTRATIONS: '3' }, hasher })
    register = registering(world)
    hashes = 0
  })

  const registerThree = async () => {
    for (let each = 0; each < 3; each += 1) await succeed(register())
  }

  it('when three are registered, then the next waits until the hour is over', async () => {
    await registerThree()
    world.clock.passSeconds(600)
    expect(await fail(register())).to.deep.equal(throttledFor(HOUR - 600))
    world.clock.passSeconds(HOUR - 600)
    await registerThree()
    expect(await fail(register())).to.deep.equal(throttledFor(HOUR))
  })

  it('when it waits, then other networks, other applications, operators and callers without an address do not wait', async () => {
    await registerThree()
    await succeed(register({}, '192.0.2.2'))
    await succeed(register({}, HERE, 'another'))
    for (let each = 0; each < 5; each += 1) await succeed(register({}, ''))
    for (const email of ['a@b.c', 'd@b.c', 'e@b.c', 'f@b.c']) {
      const context = { ...CONTEXT, endUserAddress: HERE }
      await succeed(world.service.registerUser(context, { email, password: 'p' }, OPERATOR))
    }
  })

  it('when a registration fails, then it does not count', async () => {
    for (const email of ['Ada@Example.com', 'x', ''])
      for (let each = 0; each < 4; each += 1)
        expect((await fail(register({ email })))._tag).to.equal('Invalid')
    world.store.readOnly = true
    for (let each = 0; each < 4; each += 1) expect((await fail(register()))._tag).to.equal('StoreUnavailable')
    world.store.readOnly = false
    await registerThree()
    expect(await fail(register())).to.deep.equal(throttledFor(HOUR))
  })

  it('when its outcome is unknown, then it counts, because the user may be registered', async () => {
    const store = memoryStore()
    const lost: StoreUnavailable = { _tag: 'StoreUnavailable', reason: 'lost', outcome: 'unknown' }
    let isLost = false
    const losing: Store = {
      ...store,
      commit: (change) => (isLost ? async () => left(lost) : store.commit(change)),
    }
    world = await newWorld({
      environment: { THROTTLE_REGISTRATIONS: '1' },
      modules: [provide(Dependency.storage, () => ({ store: losing }))],
    })
    register = registering(world)
    isLost = true
    expect(await fail(register())).to.deep.equal(lost)
    isLost = false
    expect(await fail(register())).to.deep.equal(throttledFor(HOUR))
  })

  it('when it waits, then nothing is hashed, and only a missing field is reported', async () => {
    await registerThree()
    hashes = 0
    expect((await fail(register({ password: '' })))._tag).to.equal('Invalid')
    expect((await fail(register({ email: 'x' })))._tag).to.equal('Throttled')
    expect(hashes).to.equal(0)
  })

  it('when forty come at once, then three are registered', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => register()()))
    expect(all.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(3)
  })

  for (const [what, spoil, codes] of [
    ['it waits', registerThree, []],
    ['its e-mail is taken', async () => succeed(register({ email: 'user@example.com' })), [4]],
  ] as const) {
    it(`when it is refused because ${what}, then that is noted with the codes [${codes}]`, async () => {
      await spoil()
      await fail(register({ email: 'user@example.com' }))
      const application = { kind: 'application', id: world.shop.application.id }
      expect((await world.settledEvents()).at(-1)).to.deep.equal({
        type: 'RegistrationRefused',
        subject: application,
        actor: application,
        data: { codes },
      })
    })
  }
})

describe('registerUser for an end user, given the default limits', () => {
  it('when a hundred come from one network, then all are registered', async () => {
    const register = registering(await newWorld())
    for (let each = 0; each < 100; each += 1) await succeed(register())
  })
})

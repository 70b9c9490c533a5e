import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { KEY_PURPOSES, type KeyPurpose } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { keyProcesses, NOW_SECONDS, TTL } from './key-processes.ts'
import { allEvents, CONTEXT, newWorld, type World } from './world.ts'

const DEAD = { _tag: 'InvalidToken' }

describe('rotateKeys, given keys of all purposes', () => {
  let processes: ReturnType<typeof keyProcesses>
  let begun: number
  beforeEach(async () => {
    processes = keyProcesses('jwt', true)
    await succeed(processes.start().read)
    begun = (await allEvents(processes.store)).length
  })

  const rotate = (purposes: ReadonlyArray<KeyPurpose>, atOnce = false) =>
    processes.rotate(CONTEXT, { purposes, atOnce })
  const key = async (id: string) => (await processes.keys()).find((one) => one.id === id)
  const events = async () =>
    (await allEvents(processes.store))
      .slice(begun)
      .map(({ type, subject, actor, data }) => ({ type, subject, actor, data }))

  for (const purpose of KEY_PURPOSES) {
    it(`when the ${purpose} key is rotated, then the new one signs in ten minutes and the old one ends in time`, async () => {
      const signsFromSeconds = NOW_SECONDS + 600
      const before = await key(`${purpose}-1`)
      const inUse = await succeed(rotate([purpose]))
      expect(inUse.map(({ id }) => id)).to.deep.equal([`${purpose}-1`, `${purpose}-2`])
      expect(inUse[0]).to.deep.equal({
        ...before,
        retiresAtSeconds: some(signsFromSeconds + TTL[purpose] + 600),
        version: 2,
      })
      expect(inUse[1]).to.deep.include({
        purpose,
        createdAtSeconds: NOW_SECONDS,
        signsFromSeconds,
        retiresAtSeconds: none,
        retired: false,
        version: 1,
      })
      expect(inUse[1]?.kid).to.not.equal(before?.kid)
      expect(inUse[1]?.material).to.not.equal(before?.material)
    })

    it(`when the ${purpose} key is rotated at once, then the new one signs and the old one's secret is gone`, async () => {
      const before = await key(`${purpose}-1`)
      const inUse = await succeed(rotate([purpose], true))
      expect(inUse.map(({ id }) => id)).to.deep.equal([`${purpose}-2`])
      expect(inUse[0]).to.deep.include({ signsFromSeconds: NOW_SECONDS, retiresAtSeconds: none })
      expect(await key(`${purpose}-1`)).to.deep.equal({ ...before, retired: true, material: '', version: 2 })
    })
  }

  it('when one purpose is rotated, then the other is unchanged', async () => {
    const before = await key('application-1')
    await succeed(rotate(['user']))
    await succeed(rotate(['user'], true))
    expect(await key('application-1')).to.deep.equal(before)
  })

  it('when all are rotated, then it is one change by an operator', async () => {
    const inUse = await succeed(rotate(KEY_PURPOSES))
    expect(inUse.map(({ id }) => id)).to.have.members(
      KEY_PURPOSES.flatMap((purpose) => [`${purpose}-1`, `${purpose}-2`]),
    )
    expect(await events()).to.deep.equal(
      await Promise.all(
        KEY_PURPOSES.map(async (purpose) => ({
          type: 'SigningKeyCreated',
          subject: { kind: 'key', id: (await key(`${purpose}-2`))?.kid },
          actor: { kind: 'operator' },
          data: { purpose },
        })),
      ),
    )
  })

  it('when all are rotated at once, then the retirement of all old ones is logged', async () => {
    const old = (await processes.keys()).map(({ kid }) => kid)
    await succeed(rotate(KEY_PURPOSES, true))
    expect((await events()).map(({ type }) => type)).to.deep.equal([
      'SigningKeyCreated',
      'SigningKeyRetired',
      'SigningKeyCreated',
      'SigningKeyRetired',
      'SigningKeyCreated',
      'SigningKeyRetired',
      'SigningKeyCreated',
      'SigningKeyRetired',
    ])
    const retired = (await events()).filter(({ type }) => type === 'SigningKeyRetired')
    expect(retired.map(({ subject }) => subject.id)).to.have.members(old)
  })

  it('when no purpose is named, then nothing is rotated', async () => {
    expect(await succeed(rotate([]))).to.deep.equal([])
    expect(await events()).to.deep.equal([])
  })

  it('when it is rotated again, then the first key retires no later, and the second gets its own retirement', async () => {
    await succeed(rotate(['user']))
    processes.clock.passSeconds(1000)
    const inUse = await succeed(rotate(['user']))
    const end = NOW_SECONDS + 600 + TTL.user + 600
    expect(inUse.map(({ id, retiresAtSeconds, version }) => [id, retiresAtSeconds, version])).to.deep.equal([
      ['user-1', some(end), 2],
      ['user-2', some(end + 1000), 2],
      ['user-3', none, 1],
    ])
  })

  it('when it is rotated at once after a gentle rotation, then all older ones are retired', async () => {
    await succeed(rotate(['user']))
    const inUse = await succeed(rotate(['user'], true))
    expect(inUse.map(({ id }) => id)).to.deep.equal(['user-3'])
    for (const id of ['user-1', 'user-2']) {
      expect(await key(id)).to.deep.include({ retired: true, material: '' })
    }
  })

  it('when it is rotated after all that, then the retired ones are not written again', async () => {
    await succeed(rotate(['user'], true))
    const before = await key('user-1')
    await succeed(rotate(['user']))
    await succeed(rotate(['user'], true))
    expect(await key('user-1')).to.deep.equal(before)
  })

  for (const atOnce of [false, true]) {
    it(`when two rotate ${atOnce ? 'at once' : 'gently'} concurrently, then both succeed`, async () => {
      await Promise.all([succeed(rotate(['user'], atOnce)), succeed(rotate(['user'], atOnce))])
      const created = (await events()).filter(({ type }) => type === 'SigningKeyCreated')
      expect(created).to.have.lengthOf(2)
      const users = (await processes.keys()).filter(({ purpose }) => purpose === 'user')
      expect(users.map(({ id }) => id)).to.deep.equal(['user-1', 'user-2', 'user-3'])
      // Exactly one has no end: the last.
      const open = users.filter(({ retired, retiresAtSeconds }) => !retired && retiresAtSeconds === none)
      expect(open.map(({ id }) => id)).to.deep.equal(['user-3'])
    })
  }

  it('when a key is rotated while it is retired, then both succeed', async () => {
    await succeed(rotate(['user']))
    processes.clock.passSeconds(600 + TTL.user + 600)
    const process = processes.start()
    await succeed(process.read)
    await Promise.all([process.background.settle(), succeed(rotate(['user'], true))])
    const retired = (await events()).filter(({ type }) => type === 'SigningKeyRetired')
    expect(retired).to.have.lengthOf(2)
    expect(new Set(retired.map(({ subject }) => subject.id)).size).to.equal(2)
  })

  it('when keys are made and retired, then the log never contains their secrets', async () => {
    const secrets = (await processes.keys()).map(({ material }) => material)
    for (const key of await succeed(rotate(KEY_PURPOSES))) secrets.push(key.material)
    await succeed(rotate(KEY_PURPOSES, true))
    for (const { material } of await processes.keys()) secrets.push(material)
    const log = JSON.stringify(await allEvents(processes.store))
    for (const secret of secrets.filter((material) => material !== '')) {
      expect(log).to.not.include(JSON.stringify(secret).slice(1, -1))
    }
  })
})

describe('tokens, given that the keys they are signed with are rotated', () => {
  let world: World
  let ada: Awaited<ReturnType<World['signIn']>>
  let shop: string
  const issue = async () => (await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))).token
  beforeEach(async () => {
    world = await newWorld()
    ada = await world.signIn()
    shop = await issue()
  })

  const rotate = (atOnce: boolean) =>
    succeed(world.service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce }))
  const profile = (token: string) => world.service.authenticate(CONTEXT, 'getProfile', token)
  const signIn = (token: string) => world.service.authenticate(CONTEXT, 'signIn', token)

  it('when it is done gently, then every token stays valid until it expires', async () => {
    await rotate(false)
    const made: Array<{ token: string; end: number }> = []
    let passed = 0
    const pass = (seconds: number) => {
      passed += seconds
      world.clock.passSeconds(seconds)
    }
    for (const seconds of [0, 1, 598, 1, 1, 1000]) {
      pass(seconds)
      made.push({ token: await issue(), end: passed + TTL.application })
      for (const { token } of made) await succeed(signIn(token))
    }
    for (const { token, end } of made) {
      pass(end - passed)
      await succeed(signIn(token))
      pass(5)
      expect(await fail(signIn(token))).to.deep.equal(DEAD)
      pass(-5)
    }
  })

  it('when it is done gently, then a session stays alive until it expires, and the old key retires after that', async () => {
    await rotate(false)
    world.clock.passSeconds(TTL.user)
    await succeed(profile(ada.token))
    world.clock.passSeconds(1_200)
    expect(await fail(profile(ada.token))).to.deep.equal(DEAD)
    const retired = (await world.settledEvents()).filter(({ type }) => type === 'SigningKeyRetired')
    expect(retired).to.have.lengthOf(2)
  })

  it('when it is done at once, then a second later all earlier tokens are invalid and new ones are valid', async () => {
    await succeed(profile(ada.token))
    await succeed(signIn(shop))
    await rotate(true)
    world.clock.passSeconds(1)
    expect(await fail(profile(ada.token))).to.deep.equal(DEAD)
    expect(await fail(signIn(shop))).to.deep.equal(DEAD)
    await succeed(profile((await world.signIn()).token))
    await succeed(signIn(await issue()))
  })

  it('when an application has longer lifetimes, then the old key stays for them, unless that one is revoked, and ends later tokens', async () => {
    const { service, clock, ada: user } = world
    const own = (ttl: number) => ({ userTokenTtl: ttl, sessionTtl: ttl })
    const register = (ttl: number) =>
      succeed(service.registerApplication(CONTEXT, { name: 'own', scope: 'users:sign_in', ...own(ttl) }))
    const [longest, gone] = [await register(100_000), await register(200_000)]
    await succeed(service.revokeApplication(CONTEXT, gone.application.id))
    const [old] = await succeed(service.rotateKeys(CONTEXT, { purposes: ['user'], atOnce: false }))
    const end = clock.read() / 1000 + 600 + 100_000 + 600
    expect(old?.retiresAtSeconds).to.deep.equal(some(end))
    await succeed(service.setApplication(CONTEXT, longest.application.id, own(1_000_000)))
    const signInLater = async () => {
      const { token } = await succeed(service.issueApplicationToken(CONTEXT, longest))
      const caller = await succeed(service.authenticate(CONTEXT, 'signIn', token))
      return (await succeed(service.signIn(CONTEXT, caller, user))).expiresInSeconds
    }
    clock.passSeconds(1)
    expect(await signInLater()).to.equal(end - clock.read() / 1000)
    clock.passSeconds(600)
    expect(await signInLater(), 'with the new key').to.equal(1_000_000)
  })
})

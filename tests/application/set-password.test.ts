import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { gate } from '../support/waiting.ts'
import { refusingHasher } from './fakes.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('setPassword, given Ada, who is signed in', () => {
  let world: World
  let ada: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    ada = await world.signIn()
  })

  const set = (password: string | undefined, email = world.ada.email) =>
    world.service.setPassword(CONTEXT, { user: email, password })
  const user = async () => {
    const found = await succeed(world.store.findUserByEmail(world.ada.email))
    if (!isSome(found)) throw new Error('she is not there')
    return found.value
  }

  it('when the operator names her by her id, then it is set', async () => {
    expect(await succeed(set('set', world.ada.id))).to.deep.equal({
      id: world.ada.id,
      email: 'Ada@Example.com',
    })
    await world.signIn('set')
  })

  it('when it is set, then it works, the old one does not, and all her sessions have ended', async () => {
    const elsewhere = await world.signIn()
    expect(await succeed(set('set'))).to.deep.equal({ id: world.ada.id, email: 'Ada@Example.com' })
    for (const { token } of [ada, elsewhere]) {
      expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', token))).to.deep.equal({
        _tag: 'InvalidToken',
      })
    }
    await world.signIn('set')
    const old = { email: world.ada.email, password: 'old' }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, old))).to.have.property('_tag', 'Invalid')
  })

  it('when it is set, then the event has the digest of the record', async () => {
    await succeed(set('set'))
    expect((await world.settledEvents()).slice(1)).to.deep.equal([
      {
        type: 'PasswordSet',
        subject: { kind: 'user', id: world.ada.id },
        actor: { kind: 'operator' },
        data: { password_version: 2, password_digest: nodeDigests.sha256((await user()).passwordRecord) },
      },
    ])
  })

  it('when the password is the one she has, then it is set anyway and her sessions end', async () => {
    await succeed(set('old'))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', ada.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    await world.signIn('old')
  })

  it('when she is disabled, then it is set, and she stays disabled', async () => {
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    await succeed(set('set'))
    expect(await user()).to.deep.include({ status: 'disabled', passwordVersion: 3 })
  })

  for (const [name, password] of [
    ['missing', undefined],
    ['empty', ''],
    ['not well-formed', '\ud800'],
  ] as const) {
    it(`when the password is ${name}, then it is refused`, async () => {
      expect(await fail(set(password))).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordMissing'] })
      await succeed(world.service.authenticate(CONTEXT, 'getProfile', ada.token))
    })
  }

  it('when the e-mail is unknown, then the failure is UserUnknown', async () => {
    expect(await fail(set('set', 'eve@example.com'))).to.deep.equal({ _tag: 'UserUnknown' })
    expect((await world.settledEvents()).slice(1)).to.deep.equal([])
  })
})

describe('setPassword, given an observed hasher', () => {
  it('when it refuses, then that failure is the answer and the old password works', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    const world = await newWorld({ hasher })
    hasher.refusing = true
    const request = { user: world.ada.email, password: 'set' }
    expect(await fail(world.service.setPassword(CONTEXT, request))).to.deep.equal({
      _tag: 'Overloaded',
      retryAfterSeconds: 7,
    })
    hasher.refusing = false
    await world.signIn('old')
  })

  it('when the e-mail is unknown, then nothing is hashed', async () => {
    const work: Array<string> = []
    const hasher = plainHasher(async (kind) => {
      work.push(kind)
      return undefined
    })
    const world = await newWorld({ hasher })
    work.splice(0)
    await fail(world.service.setPassword(CONTEXT, { user: 'eve@example.com', password: 'set' }))
    expect(work).to.deep.equal([])
  })

  const MEANWHILE: ReadonlyArray<
    readonly [name: string, meanwhile: (world: World) => Promise<unknown>, version: number]
  > = [
    ['was disabled', ({ service, ada }) => succeed(service.disableUser(CONTEXT, ada.email)), 3],
    [
      'got another password',
      ({ service, ada }) => succeed(service.setPassword(CONTEXT, { user: ada.email, password: 'other' })),
      3,
    ],
  ]
  for (const [name, meanwhile, version] of MEANWHILE) {
    it(`when she ${name} during the hash, then both succeed`, async () => {
      const hashing = gate()
      let stops = false
      const hasher = plainHasher(async (kind) => {
        if (!stops || kind !== 'hash') return undefined
        stops = false
        return hashing.pass()
      })
      const world = await newWorld({ hasher })
      stops = true
      const setting = succeed(world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'set' }))
      await hashing.reached
      await meanwhile(world)
      hashing.open()
      await setting
      const [user] = await succeed(world.store.listRows({ table: 'users', after: '', limit: 1 }))
      expect(user).to.deep.include({ passwordVersion: version, version: 3 })
      await succeed(world.service.enableUser(CONTEXT, world.ada.email))
      await world.signIn('set')
    })
  }

  it('when she was removed during the hash, then the failure is UserUnknown', async () => {
    const hashing = gate()
    let stops = false
    const hasher = plainHasher(async (kind) => (stops && kind === 'hash' ? hashing.pass() : undefined))
    const world = await newWorld({ hasher })
    stops = true
    const setting = world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'set' })()
    await hashing.reached
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    hashing.open()
    expect(await setting).to.deep.equal({ _tag: 'Left', left: { _tag: 'UserUnknown' } })
  })
})

import { expect } from 'chai'
import type { HashingShare, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { newAccountLife } from './account-life.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

describe('the share of the machine for a password hash', () => {
  const shares: Array<readonly [work: string, share: HashingShare]> = []
  const plain = plainHasher()
  const hasher: PasswordHasher = {
    hash: (password, request) => {
      shares.push(['hash', request.share])
      return plain.hash(password, request)
    },
    verify: (password, record, request) => {
      shares.push(['verify', request.share])
      return plain.verify(password, record, request)
    },
    verifyMs: plain.verifyMs,
    assess: (record) => (record.endsWith(' weak') ? 'outdated' : 'current'),
  }
  let world: World
  let shop: string
  let session: Awaited<ReturnType<World['signIn']>>['caller']
  beforeEach(async () => {
    world = await newWorld({ hasher })
    shop = world.caller.application.id
    session = (await world.signIn()).caller
    shares.length = 0
  })

  it('when an application signs a user in, then it is that of the application, for unknown accounts too', async () => {
    await world.signIn()
    await world.service.signIn(CONTEXT, world.caller, { email: 'unknown@example.com', password: 'old' })()
    expect(shares).to.deep.equal([
      ['verify', [shop]],
      ['verify', [shop]],
    ])
  })

  it('when the application reports the end user’s address, then the network has a part of it', async () => {
    const context = { ...CONTEXT, endUserAddress: '192.0.2.1' }
    const credentials = { email: world.ada.email, password: 'old' }
    await succeed(world.service.signIn(context, world.caller, credentials))
    expect(shares).to.deep.equal([['verify', [shop, '192.0.2.1']]])
  })

  it('when an application registers a user, then it is that of the application', async () => {
    const actor = { kind: 'application', id: shop } as const
    await succeed(world.service.registerUser(CONTEXT, { email: 'bob@example.com', password: 'new' }, actor))
    expect(shares).to.deep.equal([['hash', [shop]]])
  })

  it('when a user changes the password, then it is that of the application that opened the session', async () => {
    const request = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword(CONTEXT, session, request))
    expect(shares).to.deep.equal([
      ['verify', [shop]],
      ['hash', [shop]],
    ])
  })

  it('when an application recovers an account or confirms another e-mail, then it is that of the application', async () => {
    const life = await newAccountLife({ hasher })
    const desk = life.desk.application.id
    shares.length = 0
    await life.confirmationToken('new@example.com')
    const token = await life.recoveryToken()
    const request = { token, newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(life.service.completeRecovery(CONTEXT, request))
    expect(shares).to.deep.equal([
      ['verify', [desk]],
      ['hash', [desk]],
    ])
  })

  it('when an operator registers a user or sets a password, then it is that of the commands', async () => {
    const operator = { kind: 'operator' } as const
    await succeed(
      world.service.registerUser(CONTEXT, { email: 'bob@example.com', password: 'new' }, operator),
    )
    await succeed(world.service.setPassword(CONTEXT, { user: 'bob@example.com', password: 'newer' }))
    expect(shares).to.deep.equal([
      ['hash', ['commands']],
      ['hash', ['commands']],
    ])
  })

  it('when a password is rehashed after a sign-in, then it is that of the application that signed the user in', async () => {
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.email, password: 'weak' }))
    shares.length = 0
    await world.signIn('weak')
    await world.background.settle()
    expect(shares).to.deep.equal([
      ['verify', [shop]],
      ['hash', [shop]],
    ])
    shares.length = 0
    const context = { ...CONTEXT, endUserAddress: '192.0.2.1' }
    const credentials = { email: world.ada.email, password: 'weak' }
    await succeed(world.service.signIn(context, world.caller, credentials))
    await world.background.settle()
    expect(shares.at(-1)).to.deep.equal(['hash', [shop, '192.0.2.1']])
  })
})

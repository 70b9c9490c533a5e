import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { claim, listed } from '../testkit/outbox/steps.ts'
import { CONTEXT, FULL, newWorld, type World } from './world.ts'

/** A recorder that writes notices. */
const NOTICING = provide(
  Dependency.recorder,
  {
    store: Dependency.store,
    clock: Dependency.clock,
    random: Dependency.random,
    digests: Dependency.digests,
  },
  (needed) => recorder({ ...needed, notices: { extra: [] } }),
)

describe('a change of an account, with mail', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ modules: [NOTICING] })
  })

  const mails = async () => (await listed(world.outbox)).map(({ kind, address }) => [kind, address])
  const address = 'Ada@Example.com'

  it('by the user writes a notice', async () => {
    const { caller } = await world.signIn()
    const passwords = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    await succeed(world.service.changePassword({ ...CONTEXT, language: 'de' }, caller, passwords))
    const [mail] = await listed(world.outbox)
    expect(mail).to.include({ kind: 'password_changed', address, attempts: 0 })
    expect(mail?.language).to.deep.include({ value: 'de' })
  })

  it('by an operator writes the same, and each change one', async () => {
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set again' }))
    expect(await mails()).to.deep.equal([
      ['password_changed', address],
      ['password_changed', address],
    ])
  })

  it('that removes it writes to the former address, which the store then has nowhere else', async () => {
    await succeed(world.service.removeUser(CONTEXT, world.ada.id))
    expect(await mails()).to.deep.equal([['account_removed', address]])
    const [user] = await succeed(world.store.listRows({ table: 'users', after: '', limit: 9 }))
    expect(user?.email).to.equal(world.ada.id)
  })

  it('that the store refuses writes none', async () => {
    world.store.readOnly = true
    expect(await fail(world.service.removeUser(CONTEXT, world.ada.id))).to.deep.equal(FULL)
    world.store.readOnly = false
    expect(await mails()).to.deep.equal([])
  })

  it('that is a registration, or disables and enables, writes none', async () => {
    await succeed(world.service.registerUser(CONTEXT, { email: 'bob@x.x', password: 'p' }, OPERATOR))
    await succeed(world.service.disableUser(CONTEXT, world.ada.id))
    await succeed(world.service.enableUser(CONTEXT, world.ada.id))
    expect(await mails()).to.deep.equal([])
  })

  it('leaves a log and rows that doctor finds correct', async () => {
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    await succeed(world.service.removeUser(CONTEXT, world.ada.id))
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('is the same for a mail that is claimed meanwhile: its sender settles it, once', async () => {
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    const [changed] = await claim(world.outbox, { claim: 'sender' })
    await succeed(world.service.removeUser(CONTEXT, world.ada.id))
    const settled = { id: changed?.id ?? '', claim: 'sender' }
    expect(await succeed(world.outbox.settle(settled))).to.equal(true)
    expect(await succeed(world.outbox.settle(settled))).to.equal(false)
    expect(await mails()).to.deep.equal([['account_removed', address]])
  })
})

describe('a change of an account, without mail', () => {
  it('writes no notice', async () => {
    const world = await newWorld()
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    await succeed(world.service.removeUser(CONTEXT, world.ada.id))
    expect(await listed(world.outbox)).to.deep.equal([])
  })
})

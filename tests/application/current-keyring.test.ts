import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import type { Keyring } from '../../application/keys/keyring.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { keyProcesses, NOW_SECONDS, PLAIN, TTL } from './key-processes.ts'
import { allEvents, CONTEXT } from './world.ts'

type Processes = ReturnType<typeof keyProcesses>

const UNTIL_IT_SIGNS = 600
const UNTIL_THE_OLD_ONE_ENDS = UNTIL_IT_SIGNS + TTL.user + 600

describe('currentKeyring, given keys in a store', () => {
  let processes: Processes
  let one: ReturnType<Processes['start']>
  let first: Keyring
  beforeEach(async () => {
    processes = keyProcesses()
    one = processes.start()
    first = await succeed(one.read)
  })

  const rotate = (purpose: KeyPurpose, atOnce = false) =>
    succeed(processes.rotate(CONTEXT, { purposes: [purpose], atOnce }))

  it('when it was read less than a second ago, then the store is not read', async () => {
    const before = one.lookups()
    processes.clock.passSeconds(0.999)
    await succeed(one.read)
    expect(one.lookups()).to.equal(before)
    processes.clock.passSeconds(0.001)
    await succeed(one.read)
    expect(one.lookups()).to.equal(before + 1)
  })

  it('when a hundred ask concurrently, then the store is read once', async () => {
    processes.clock.passSeconds(1)
    const before = one.lookups()
    const read = await Promise.all(Array.from({ length: 100 }, () => succeed(one.read)))
    expect(one.lookups()).to.equal(before + 1)
    expect(new Set(read).size).to.equal(1)
  })

  it('while the keys are unchanged, the keyring is the same object', async () => {
    for (const seconds of [1, 60, 1e6]) {
      processes.clock.passSeconds(seconds)
      expect(await succeed(one.read)).to.equal(first)
    }
  })

  it('when another process rotates a key, then its keyring changes within a second, and the other purpose does not', async () => {
    await rotate('user', true)
    expect(await succeed(one.read)).to.equal(first)
    processes.clock.passSeconds(1)
    const second = await succeed(one.read)
    expect(second.user.signing.id).to.equal('user-2')
    expect(second.user.verifying.map(({ id }) => id)).to.deep.equal(['user-2'])
    expect(second.application).to.equal(first.application)
  })

  it('when a key starts to sign, then the verifying keys are the same objects', async () => {
    await rotate('user')
    processes.clock.passSeconds(1)
    const before = await succeed(one.read)
    expect(before.user.signing.id).to.equal('user-1')
    processes.clock.passSeconds(UNTIL_IT_SIGNS - 1)
    const after = await succeed(one.read)
    expect(after.user.signing.id).to.equal('user-2')
    expect(after.user.verifying).to.equal(before.user.verifying)
    expect(after.application).to.equal(before.application)
  })

  it('when a key does not sign yet, then it verifies, after the one that signs', async () => {
    await rotate('user')
    processes.clock.passSeconds(1)
    const { user } = await succeed(one.read)
    expect(user.verifying.map(({ id }) => id)).to.deep.equal(['user-1', 'user-2'])
    expect(user.verifying[0]).to.equal(user.signing)
  })

  it('when a key is due, then it stops verifying at once, and is retired in the background', async () => {
    await rotate('user')
    processes.clock.passSeconds(UNTIL_THE_OLD_ONE_ENDS - 1)
    expect((await succeed(one.read)).user.verifying).to.have.lengthOf(2)
    expect(one.background.waiting()).to.equal(0)
    processes.clock.passSeconds(1)
    const { user } = await succeed(one.read)
    expect(user.verifying.map(({ id }) => id)).to.deep.equal(['user-2'])
    expect((await processes.keys())[1]).to.deep.include({ id: 'user-1', retired: false })
    await one.background.settle()
    expect((await processes.keys()).find(({ id }) => id === 'user-1')).to.deep.include({
      retired: true,
      material: '',
    })
    const last = (await allEvents(processes.store)).at(-1)
    expect(last).to.deep.include({
      type: 'SigningKeyRetired',
      subject: { kind: 'key', id: first.user.signing.kid },
      actor: { kind: 'nobody' },
      data: {},
    })
    expect(last).to.not.have.property('request_id')
  })

  it('when several processes find it due, then it is retired once', async () => {
    await rotate('user')
    processes.clock.passSeconds(UNTIL_THE_OLD_ONE_ENDS)
    const all = [one, processes.start(), processes.start()]
    for (const { read } of all) await succeed(read)
    await Promise.all(all.map(({ background }) => background.settle()))
    processes.clock.passSeconds(1)
    for (const { read, background } of all) {
      await succeed(read)
      expect(background.waiting()).to.equal(0)
    }
    const retired = (await allEvents(processes.store)).filter(({ type }) => type === 'SigningKeyRetired')
    expect(retired).to.have.lengthOf(1)
  })

  it('when it cannot be retired now, then a later read retires it', async () => {
    await rotate('user')
    processes.clock.passSeconds(UNTIL_THE_OLD_ONE_ENDS)
    processes.store.readOnly = true
    await succeed(one.read)
    await one.background.settle()
    processes.store.readOnly = false
    processes.clock.passSeconds(1)
    await succeed(one.read)
    await one.background.settle()
    expect((await processes.keys()).filter(({ retired }) => retired).map(({ id }) => id)).to.deep.equal([
      'user-1',
    ])
  })

  it('when the clock goes back, then a keyring from the future is not fresh', async () => {
    processes.clock.passSeconds(-0.001)
    const before = one.lookups()
    await succeed(one.read)
    expect(one.lookups()).to.equal(before + 1)
  })

  it('when the clock goes back by years, then there is still a keyring', async () => {
    await rotate('user')
    processes.clock.passSeconds(-1e8)
    const { user, application } = await succeed(one.read)
    expect([user.signing.id, application.signing.id]).to.deep.equal(['user-1', 'application-1'])
  })

  it('when the clock passes the retirement of a key and goes back, then it verifies until it is retired', async () => {
    await rotate('user')
    processes.clock.passSeconds(UNTIL_THE_OLD_ONE_ENDS)
    await succeed(one.read)
    processes.clock.passSeconds(-1)
    expect((await succeed(one.read)).user.verifying).to.have.lengthOf(2)
    await one.background.settle()
    processes.clock.passSeconds(1)
    expect((await succeed(one.read)).user.verifying).to.have.lengthOf(1)
    await one.background.settle()
    processes.clock.passSeconds(-UNTIL_THE_OLD_ONE_ENDS)
    expect((await succeed(one.read)).user.verifying).to.have.lengthOf(1)
  })

  it('when only a clock that is ahead says that a key is due, then its secret is not erased', async () => {
    await rotate('user')
    const other = processes.start(PLAIN, undefined, { steadyClock: async () => right(NOW_SECONDS * 1000) })
    processes.clock.passSeconds(UNTIL_THE_OLD_ONE_ENDS)
    expect((await succeed(other.read)).user.verifying).to.have.lengthOf(1)
    await other.background.settle()
    processes.clock.passSeconds(-UNTIL_THE_OLD_ONE_ENDS)
    expect((await succeed(other.read)).user.verifying.map(({ id }) => id)).to.deep.equal(['user-1', 'user-2'])
  })

  it('when the store is unavailable, then so is the keyring after a second, until the store is back', async () => {
    const away = { _tag: 'StoreUnavailable', reason: 'no answer' } as const
    const { listSigningKeys } = processes.store
    processes.store.listSigningKeys = () => async () => left(away)
    processes.clock.passSeconds(0.999)
    expect(await succeed(one.read)).to.equal(first)
    processes.clock.passSeconds(0.001)
    expect(await fail(one.read)).to.deep.equal(away)
    processes.store.listSigningKeys = listSigningKeys
    expect(await succeed(one.read)).to.equal(first)
  })
})

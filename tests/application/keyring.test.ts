import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { currentKeyring, type Keyring, newKey } from '../../application/keys/keyring.ts'
import type { Store } from '../../application/ports/store.ts'
import type { Fact, Unwritten } from '../../application/recording/facts.ts'
import { recorder } from '../../application/recording/recorder.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { UserTokenFormat } from '../../domain/token.ts'
import { fail, succeed } from '../support/outcome.ts'
import { drivenBackground } from './background.ts'
import { countingRandom, settableClock } from './fakes.ts'
import { FORMATS, NOW_SECONDS, PLAIN } from './key-processes.ts'
import { allEvents, CONTEXT, NOW } from './world.ts'

const recorderFor = (store: Store, random = countingRandom()) =>
  recorder({ store, clock: settableClock(NOW).read, random, digests: nodeDigests })

type KeySettings = Readonly<{ userTokenFormat: UserTokenFormat; openid: boolean }>

/** A separate process that reads the keys. */
const open = (store: Store, random = countingRandom(), given: Partial<KeySettings> = {}) =>
  currentKeyring({
    store,
    formats: FORMATS,
    wrapping: PLAIN,
    clock: settableClock(NOW).read,
    steadyClock: async () => right(Date.parse(NOW)),
    record: recorderFor(store, random),
    background: drivenBackground(settableClock(NOW)),
    settings: { userTokenFormat: 'paseto', openid: false, ...given },
  })

const created = (key: Unwritten<SigningKey>): Fact => ({ _tag: 'SigningKeyCreated', key, superseded: [] })

const kids = ({ application, user }: Keyring) => [application.signing.kid, user.signing.kid]

describe('currentKeyring, given an empty store', () => {
  it('when it is read, then there is one key for each purpose, which signs and verifies', async () => {
    const { application, user } = await succeed(open(memoryStore()))
    expect(application.verifying).to.deep.equal([application.signing])
    expect(user.verifying).to.deep.equal([user.signing])
    const { kid, material, ...plain } = application.signing
    expect(plain).to.deep.equal({
      id: 'application-1',
      purpose: 'application',
      createdAtSeconds: NOW_SECONDS,
      signsFromSeconds: NOW_SECONDS,
      retiresAtSeconds: none,
      retired: false,
      version: 1,
    })
    expect(user.signing).to.deep.include({ id: 'user-1', purpose: 'user', version: 1 })
    expect(kid).to.not.equal(user.signing.kid)
    expect(material).to.not.equal(user.signing.material)
  })

  it('when it is read, then both keys are logged, without their material', async () => {
    const store = memoryStore()
    const { application, user } = await succeed(open(store))
    const events = await allEvents(store)
    expect(events.map(({ type, subject, actor, data }) => ({ type, subject, actor, data }))).to.deep.equal([
      {
        type: 'SigningKeyCreated',
        subject: { kind: 'key', id: application.signing.kid },
        actor: { kind: 'nobody' },
        data: { purpose: 'application' },
      },
      {
        type: 'SigningKeyCreated',
        subject: { kind: 'key', id: user.signing.kid },
        actor: { kind: 'nobody' },
        data: { purpose: 'user' },
      },
    ])
    for (const event of events) expect(event).to.not.have.property('request_id')
    expect(JSON.stringify(events)).to.not.include(user.signing.material)
  })

  it('when it is read again, then the keys are the same', async () => {
    const store = memoryStore()
    const first = await succeed(open(store))
    expect(await succeed(open(store))).to.deep.equal(first)
    expect(await allEvents(store)).to.have.lengthOf(2)
  })

  it('when processes with both formats of user tokens read it concurrently, then each gets the keys it needs', async () => {
    const store = memoryStore()
    const random = countingRandom()
    const formats = ['paseto', 'jwt', 'paseto', 'jwt', 'jwt'] as const
    const rings = await Promise.all(
      formats.map((userTokenFormat) => succeed(open(store, random, { userTokenFormat }))),
    )
    const [first, ...others] = rings.filter((_, index) => formats[index] === 'jwt')
    for (const other of others) expect(other).to.deep.equal(first)
    expect(first?.user_jwt?.signing).to.deep.include({ id: 'user_jwt-1', purpose: 'user_jwt' })
    expect(first?.id_token).to.equal(undefined)
    for (const ring of rings) expect(kids(ring)).to.deep.equal(first && kids(first))
    expect(await allEvents(store)).to.have.lengthOf(3)
  })

  it('when OpenID providers and others read it concurrently, then each provider gets a key of ID tokens and one of user tokens as JWT', async () => {
    const store = memoryStore()
    const random = countingRandom()
    const all = [false, true, false, true, true]
    const rings = await Promise.all(all.map((openid) => succeed(open(store, random, { openid }))))
    const [first, ...others] = rings.filter((_, index) => all[index])
    for (const other of others) expect(other).to.deep.equal(first)
    expect(first?.user_jwt?.signing).to.deep.include({ id: 'user_jwt-1', purpose: 'user_jwt' })
    expect(first?.id_token?.signing).to.deep.include({ id: 'id_token-1', purpose: 'id_token' })
    for (const ring of rings) expect(kids(ring)).to.deep.equal(first && kids(first))
    expect(await allEvents(store)).to.have.lengthOf(4)
  })

  it('when ten processes read it concurrently, then they agree on one key for each purpose', async () => {
    const store = memoryStore()
    // Processes have different ids, so each one counts from another start.
    const random = countingRandom()
    const rings = await Promise.all(Array.from({ length: 10 }, () => succeed(open(store, random))))
    const [first, ...others] = rings.map(kids)
    for (const other of others) expect(other).to.deep.equal(first)
    expect((await allEvents(store)).map(({ data }) => data)).to.deep.equal([
      { purpose: 'application' },
      { purpose: 'user' },
    ])
  })
})

describe('currentKeyring, given a store that loses its rows', () => {
  it('when it is read, then it fails with a reason', async () => {
    const store = memoryStore()
    const forgetful: Store = { ...store, listSigningKeys: memoryStore().listSigningKeys }
    expect(await fail(open(forgetful))).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'its signing keys cannot be read back',
    })
  })
})

describe('currentKeyring, given a store with only one purpose', () => {
  it('when it is read, then only the missing key is made', async () => {
    const store = memoryStore()
    const random = countingRandom()
    const key = await newKey({
      formats: FORMATS,
      wrapping: PLAIN,
      purpose: 'application',
      number: 1,
      createdAtSeconds: 1,
      signsFromSeconds: 1,
    })
    await succeed(recorderFor(store, random)([created(key)], { kind: 'nobody' }, CONTEXT))
    const { application, user } = await succeed(open(store, random))
    expect(application.signing.kid).to.equal(key.kid)
    expect(user.signing.id).to.equal('user-1')
    expect(await allEvents(store)).to.have.lengthOf(2)
  })
})

describe('currentKeyring, given two keys of one purpose', () => {
  it('when it is read, then the newer one signs and both verify', async () => {
    const store = memoryStore()
    const random = countingRandom()
    const first = await succeed(open(store, random))
    const younger = await newKey({
      formats: FORMATS,
      wrapping: PLAIN,
      purpose: 'user',
      number: 2,
      createdAtSeconds: NOW_SECONDS + 60,
      signsFromSeconds: NOW_SECONDS,
    })
    await succeed(recorderFor(store, random)([created(younger)], { kind: 'nobody' }, CONTEXT))
    const { application, user } = await succeed(open(store, random))
    expect(user.signing.kid).to.equal(younger.kid)
    expect(user.verifying.map(({ kid }) => kid)).to.deep.equal([first.user.signing.kid, younger.kid])
    expect(application).to.deep.equal(first.application)
  })
})

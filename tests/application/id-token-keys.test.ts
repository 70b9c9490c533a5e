import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { currentIdTokenKeys } from '../../application/keys/id-token-keys.ts'
import type { CurrentKeyring } from '../../application/keys/keyring.ts'
import { eventsOf } from '../support/events.ts'
import { fail, succeed } from '../support/outcome.ts'
import { FORMATS, keyProcesses, PLAIN } from './key-processes.ts'
import { CONTEXT } from './world.ts'

const OFF = { openid: false }
const A = { id: 'a', secret: 'a'.repeat(32) }
const B = { id: 'b', secret: 'b'.repeat(32) }
const [UNDER_A, UNDER_B, B_THEN_A] = [aesKeyWrapping([A]), aesKeyWrapping([B]), aesKeyWrapping([B, A])]

const UNTIL_IT_SIGNS = 600

const keysBy = (keyring: CurrentKeyring) => currentIdTokenKeys({ tokens: FORMATS.id_token, keyring })

describe('currentIdTokenKeys, given an OpenID provider', () => {
  let processes: ReturnType<typeof keyProcesses>
  let keyring: CurrentKeyring
  let keys: ReturnType<typeof currentIdTokenKeys>
  beforeEach(() => {
    processes = keyProcesses('paseto', true)
    keyring = processes.start().read
    keys = keysBy(keyring)
  })
  const rotate = (purpose: 'id_token' | 'user', atOnce = false) =>
    succeed(processes.rotate(CONTEXT, { purposes: [purpose], atOnce }))
  const kids = async () => (await succeed(keys)).map(({ kid }) => kid)

  it('when it is read, then there is one key, with its private half', async () => {
    const { id_token } = await succeed(keyring)
    expect(id_token?.verifying).to.have.lengthOf(1)
    expect(id_token && (await keys())).to.deep.equal(
      right([id_token && (await succeed(TE.fromEither(FORMATS.id_token.load(id_token.signing))))]),
    )
  })

  it('while the keys of ID tokens are unchanged, it is the same array, also after a rotation of others', async () => {
    const first = await succeed(keys)
    await rotate('user', true)
    for (const seconds of [1, 60, 1e6]) {
      processes.clock.passSeconds(seconds)
      expect(await succeed(keys)).to.equal(first)
    }
  })

  it('when the key is rotated, then the new one is there at once, and first from when it signs until the old one ends', async () => {
    const [old] = await kids()
    const made = (await rotate('id_token')).at(-1)?.kid
    processes.clock.passSeconds(1)
    const before = await succeed(keys)
    expect(await kids()).to.deep.equal([old, made])
    processes.clock.passSeconds(UNTIL_IT_SIGNS)
    expect(await kids()).to.deep.equal([made, old])
    expect(await succeed(keys)).not.to.equal(before)
    processes.clock.passSeconds(86_400 + 600)
    expect(await kids()).to.deep.equal([made])
  })

  it('when the key has leaked, then only the new one is there', async () => {
    await succeed(keys)
    const made = (await rotate('id_token', true)).at(-1)?.kid
    processes.clock.passSeconds(1)
    expect(await kids()).to.deep.equal([made])
  })

  it('when the process starts again, then it has the same keys', async () => {
    const before = await succeed(keys)
    expect(await succeed(keysBy(processes.start().read))).to.deep.equal(before)
  })

  it('when one of the keys cannot be used, then the failure names it', async () => {
    await rotate('id_token')
    const { id_token: ring, ...others } = await succeed(keyring)
    if (ring === undefined) throw new Error('no key')
    const broken = { ...ring.signing, kid: 'broken', material: 'no key' }
    for (const id_token of [
      { ...ring, signing: broken },
      { ...ring, verifying: [ring.signing, broken] as const },
    ])
      expect(
        await fail(keysBy(TE.right({ ...others, id_token: id_token as unknown as typeof ring }))),
      ).to.deep.equal({ _tag: 'KeyUnusable', kid: 'broken' })
  })

  it('when there is no key, or the store is unavailable, then it fails with a reason', async () => {
    const without = keysBy(TE.right({ ...(await succeed(keyring)), id_token: undefined }))
    expect(await fail(without)).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'it has no key for ID tokens',
    })
    await processes.store.close()
    processes.clock.passSeconds(1)
    expect(await fail(keys)).to.deep.equal({ _tag: 'StoreUnavailable', reason: 'the store is closed' })
  })
})

describe('a service that signs no ID tokens, beside an OpenID provider', () => {
  let processes: ReturnType<typeof keyProcesses>
  beforeEach(() => {
    processes = keyProcesses('jwt', true)
  })
  const idTokenKeys = async () => (await processes.keys()).filter(({ purpose }) => purpose === 'id_token')

  it('makes no key of ID tokens, and needs none', async () => {
    const { id_token } = await succeed(processes.start(PLAIN, undefined, OFF).read)
    expect(id_token).to.equal(undefined)
    expect(await idTokenKeys()).to.deep.equal([])
  })

  it('reads the key of the provider, and its keyring is otherwise the same', async () => {
    const other = processes.start(PLAIN, undefined, OFF)
    const before = await succeed(other.read)
    const provider = await succeed(processes.start().read)
    processes.clock.passSeconds(1)
    const { id_token, ...others } = await succeed(other.read)
    expect(id_token?.signing.kid).to.equal(provider.id_token?.signing.kid)
    for (const purpose of ['application', 'user', 'user_jwt'] as const)
      expect(others[purpose]).to.equal(before[purpose])
  })

  it('works if it cannot decrypt that key, which ends a start of the provider', async () => {
    const before = await succeed(processes.start(PLAIN, undefined, OFF).read)
    await succeed(processes.rotateWith(UNDER_A)(CONTEXT, { purposes: ['id_token'], atOnce: true }))
    const other = processes.start(PLAIN, undefined, OFF)
    expect(await succeed(other.read)).to.deep.equal(before)
    expect((await fail(processes.start().read)) as object).to.include({
      _tag: 'StoreUnavailable',
      reason: `signing key ${(await idTokenKeys())[0]?.kid} is encrypted under the key-encryption key a, and KEY_ENCRYPTION_KEY is not set`,
    })
  })

  it('encrypts that key again under a new key-encryption key', async () => {
    await succeed(processes.start(UNDER_A).read)
    const other = processes.start(B_THEN_A, undefined, OFF)
    await succeed(other.read)
    await other.background.settle()
    expect(await eventsOf(processes.store, 'SigningKeyReencrypted')).to.have.lengthOf(4)
    expect(await succeed(processes.start(UNDER_B).read)).to.have.property('id_token')
  })

  it('retires that key when it is due', async () => {
    await succeed(processes.start().read)
    await succeed(processes.rotate(CONTEXT, { purposes: ['id_token'], atOnce: false }))
    processes.clock.passSeconds(600 + 86_400 + 600)
    const other = processes.start(PLAIN, undefined, OFF)
    await succeed(other.read)
    await other.background.settle()
    expect((await idTokenKeys())[0]).to.include({ retired: true, material: '' })
  })
})

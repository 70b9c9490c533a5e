import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { Keyring } from '../../application/keys/keyring.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { eventsOf } from '../support/events.ts'
import { fail, succeed } from '../support/outcome.ts'
import { FORMATS, keyProcesses, PLAIN, TTL } from './key-processes.ts'
import { CONTEXT } from './world.ts'

const A = { id: 'a', secret: 'a'.repeat(32) }
const B = { id: 'b', secret: 'b'.repeat(32) }
const [UNDER_A, UNDER_B] = [aesKeyWrapping([A]), aesKeyWrapping([B])]
const [A_THEN_B, B_THEN_A] = [aesKeyWrapping([A, B]), aesKeyWrapping([B, A])]

const CLAIMS = {
  iss: 'i',
  sub: 's',
  sid: 'd',
  iat: 0,
  exp: 1,
  jti: 'j',
  auth_time: 0,
  acr: 'aal1',
  amr: ['pwd'],
}

describe('currentKeyring, given key-encryption keys', () => {
  let processes: ReturnType<typeof keyProcesses>
  beforeEach(() => {
    processes = keyProcesses()
  })

  type Process = ReturnType<typeof processes.start>

  /** The process reads the keys a second later, and runs its background tasks. */
  const look = async (...all: ReadonlyArray<Process>): Promise<void> => {
    processes.clock.passSeconds(1)
    for (const { read } of all) await succeed(read)
    await Promise.all(all.map(({ background }) => background.settle()))
  }
  const begin = async (wrapping: KeyWrapping): Promise<Process> => {
    const process = processes.start(wrapping)
    await succeed(process.read)
    await process.background.settle()
    return process
  }
  const areUnder = async (wrapping: KeyWrapping): Promise<void> => {
    const keys = await processes.keys()
    expect(keys.map((key) => wrapping.assess(key.material, key))).to.deep.equal(keys.map(() => 'current'))
  }
  const reencrypted = () => eventsOf(processes.store, 'SigningKeyReencrypted')
  const signs = async ({ user }: Keyring): Promise<string> => succeed(FORMATS.user.sign(CLAIMS, user.signing))

  it('when it makes the first keys, then they are encrypted in the store, and it can use them', async () => {
    const { read } = await begin(UNDER_A)
    await areUnder(UNDER_A)
    const keyring = await succeed(read)
    expect(await succeed(FORMATS.user.verify(await signs(keyring), keyring.user.verifying))).to.deep.equal(
      CLAIMS,
    )
    expect(isRight(FORMATS.application.publicJwk(keyring.application.signing))).to.equal(true)
    expect(await reencrypted()).to.deep.equal([])
  })

  it('when the keys are plain, then it uses them at once, and encrypts them in the background', async () => {
    const before = await succeed((await begin(PLAIN)).read)
    const process = processes.start(UNDER_A)
    expect(await succeed(process.read)).to.deep.equal(before)
    expect(await reencrypted()).to.deep.equal([])
    await process.background.settle()
    await areUnder(UNDER_A)
    for (const key of await processes.keys()) {
      const signing = before[key.purpose]?.signing
      if (signing === undefined) throw new Error(`no key for ${key.purpose}`)
      expect(UNDER_A.unwrap(key.material, key)).to.have.property('right', signing.material)
      expect({ ...key, material: '' }).to.deep.equal({ ...signing, material: '', version: 2 })
    }
    const entries = await reencrypted()
    expect(entries.map(({ subject, actor, data }) => ({ subject, actor, data }))).to.deep.equal(
      [before.application, before.user].map(({ signing }) => ({
        subject: { kind: 'key', id: signing.kid },
        actor: { kind: 'nobody' },
        data: { key_encryption_key_id: 'a' },
      })),
    )
    for (const entry of entries) expect(entry).to.not.have.property('request_id')
  })

  it('when it has encrypted the keys, then earlier tokens are valid, and the keyring stays the same object', async () => {
    const token = await signs(await succeed((await begin(PLAIN)).read))
    const process = await begin(UNDER_A)
    await look(process)
    const keyring = await succeed(process.read)
    expect(await succeed(FORMATS.user.verify(token, keyring.user.verifying))).to.deep.equal(CLAIMS)
    await look(process)
    expect(await succeed(process.read)).to.equal(keyring)
    expect(await reencrypted()).to.have.lengthOf(2)
  })

  it('when the key-encryption key is changed, then the keys follow, and the old one is needed no more', async () => {
    await begin(UNDER_A)
    await begin(B_THEN_A)
    await areUnder(UNDER_B)
    expect((await reencrypted()).map(({ data }) => data)).to.deep.equal(
      Array(2).fill({ key_encryption_key_id: 'b' }),
    )
    await begin(UNDER_B)
  })

  it('when another process encrypts the keys under a key-encryption key that it lacks, then it works until its next start', async () => {
    const running = await begin(PLAIN)
    const before = await succeed(running.read)
    await begin(UNDER_A)
    await look(running)
    const after = await succeed(running.read)
    expect(after.user.signing.material).to.equal(before.user.signing.material)
    expect(await reencrypted()).to.have.lengthOf(2)
    const { reason } = (await fail(processes.start(PLAIN).read)) as { reason: string }
    expect(reason).to.equal(
      `signing key ${before.application.signing.kid} is encrypted under the key-encryption key a, and KEY_ENCRYPTION_KEY is not set`,
    )
  })

  it('when another process makes a key under a key-encryption key that it lacks, then there is no keyring until that key is gone', async () => {
    const running = await begin(UNDER_A)
    const rotate = (wrapping: KeyWrapping, atOnce: boolean) =>
      succeed(processes.rotateWith(wrapping)(CONTEXT, { purposes: ['user'], atOnce }))
    await rotate(B_THEN_A, false)
    processes.clock.passSeconds(1)
    const failure = await fail(running.read)
    expect(failure._tag).to.equal('StoreUnavailable')
    expect(failure.reason).to.match(
      /^signing key \S+ is encrypted under .* b, and KEY_ENCRYPTION_KEY lacks b$/,
    )
    await rotate(UNDER_A, true)
    await look(running)
  })

  it('when processes disagree about the current key-encryption key, then they stop writing', async () => {
    await begin(PLAIN)
    const all = [processes.start(A_THEN_B), processes.start(B_THEN_A)]
    for (const { read } of all) await succeed(read)
    for (const { background } of all) await background.settle()
    for (let time = 1; time <= 10; time += 1) await look(...all)
    const written = await reencrypted()
    expect(written.length).to.be.within(2, 4)
    for (let time = 1; time <= 10; time += 1) await look(...all)
    expect(await reencrypted()).to.deep.equal(written)
  })

  it('when ten processes find plain keys concurrently, then each key is encrypted once', async () => {
    await begin(PLAIN)
    const all = Array.from({ length: 10 }, () => processes.start(UNDER_A))
    for (const { read } of all) await succeed(read)
    await Promise.all(all.map(({ background }) => background.settle()))
    await look(...all)
    expect(await reencrypted()).to.have.lengthOf(2)
    await areUnder(UNDER_A)
  })

  const HINDRANCES: ReadonlyArray<
    readonly [name: string, hinder: (process: Process, hindered: boolean) => void]
  > = [
    [
      'the store takes no change',
      (_, hindered) => {
        processes.store.readOnly = hindered
      },
    ],
    [
      'there is too much to do',
      ({ background }, hindered) => {
        background.full = hindered
      },
    ],
  ]
  for (const [name, hinder] of HINDRANCES) {
    it(`when ${name}, then the keys are used anyway, and a later read encrypts them`, async () => {
      await begin(PLAIN)
      const process = processes.start(UNDER_A)
      hinder(process, true)
      await signs(await succeed(process.read))
      await process.background.settle()
      await look(process)
      expect(await reencrypted()).to.deep.equal([])
      hinder(process, false)
      await look(process)
      await areUnder(UNDER_A)
    })
  }

  it('when a key is rotated before it is encrypted, then both succeed', async () => {
    await begin(PLAIN)
    const process = processes.start(UNDER_A)
    await succeed(process.read)
    await succeed(processes.rotateWith(UNDER_A)(CONTEXT, { purposes: ['user'], atOnce: false }))
    const rotated = await processes.keys()
    await process.background.settle() // a conflict
    expect(await reencrypted()).to.deep.equal([])
    await look(process)
    await areUnder(UNDER_A)
    expect(await reencrypted()).to.have.lengthOf(2)
    const ends = (keys: ReadonlyArray<SigningKey>) => keys.map(({ retiresAtSeconds }) => retiresAtSeconds)
    expect(ends(await processes.keys())).to.deep.equal(ends(rotated))
  })

  it('when a key is due, then it is retired and not encrypted', async () => {
    await begin(PLAIN)
    await succeed(processes.rotate(CONTEXT, { purposes: ['user'], atOnce: false }))
    processes.clock.passSeconds(600 + TTL.user + 600)
    const process = await begin(UNDER_A)
    await look(process)
    const old = (await processes.keys()).find(({ id }) => id === 'user-1')
    expect(old).to.include({ retired: true, material: '' })
    expect(await reencrypted()).to.have.lengthOf(2)
  })

  it('when the material of two keys is swapped, then there is no keyring', async () => {
    await begin(UNDER_A)
    const { listSigningKeys } = processes.store
    const [one, other] = await processes.keys()
    if (one === undefined || other === undefined) throw new Error('no keys')
    processes.store.listSigningKeys = () => async () => ({
      _tag: 'Right',
      right: [
        { ...one, material: other.material },
        { ...other, material: one.material },
      ],
    })
    expect(await fail(processes.start(UNDER_A).read)).to.have.property('_tag', 'StoreUnavailable')
    processes.store.listSigningKeys = listSigningKeys
    await begin(UNDER_A)
  })

  it('each key is unwrapped once, however often the keyring is read', async () => {
    await begin(UNDER_A)
    let unwrapped = 0
    const counting: KeyWrapping = {
      ...UNDER_A,
      unwrap: (stored, about) => {
        unwrapped += 1
        return UNDER_A.unwrap(stored, about)
      },
    }
    const process = await begin(counting)
    for (let time = 1; time <= 10; time += 1) await look(process)
    expect(unwrapped).to.equal(2)
  })
})

import { expect } from 'chai'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { exportUsers } from '../../application/accounts/export-users.ts'
import { base32 } from '../../domain/base32.ts'
import type { ImportRequest } from '../../domain/user-import.ts'
import { SOME_RECORD } from '../support/import-file.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { aFactor, change } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'
const KEY = 'k'.repeat(32)
const WRAPPING = aesKeyWrapping([{ id: '2026', secret: KEY }])
const TOTP = [
  { secret: base32(new Uint8Array(20).fill(1)), name: 'phone' },
  { secret: base32(new Uint8Array(10).fill(2)), name: 'tablet' },
]
const BOB: ImportRequest = {
  email: 'bob@example.com',
  password_hash: SOME_RECORD,
  email_verified: true,
  id: ID,
  status: 'disabled',
  totp: TOTP,
}

describe('a user with two authenticator apps', () => {
  let world: World
  const run = async (...requests: ReadonlyArray<ImportRequest>) =>
    (await succeed(world.service.importUsers(CONTEXT, requests))).map(
      (one) => isRight(one) && one.right.isKnown,
    )
  beforeEach(async () => {
    world = await newWorld({ environment: { KEY_ENCRYPTION_KEY: `2026:${KEY}` } })
  })

  it('is imported with both in one change, each secret encrypted for its factor, and the log agrees', async () => {
    expect(await run(BOB)).to.deep.equal([false])
    const factors = await succeed(world.store.listFactors(ID))
    expect(factors.map(({ name, mark, version }) => [name, mark, version])).to.deep.equal([
      ['phone', 0, 1],
      ['tablet', 0, 1],
    ])
    for (const [index, { id, material }] of factors.entries()) {
      const about = { kid: id, purpose: 'totp' } as const
      expect(WRAPPING.assess(material, about)).to.equal('current')
      expect(WRAPPING.unwrap(material, about)).to.deep.equal(right(TOTP[index]?.secret))
    }
    const [imported, ...events] = await world.settledEvents()
    expect(imported).to.include({ type: 'UserImported' })
    expect(events).to.deep.equal([
      ...factors.map(({ id }) => ({
        type: 'FactorImported',
        subject: { kind: 'user', id: ID },
        actor: OPERATOR,
        data: { factor_id: id, kind: 'totp' },
      })),
      { type: 'UserDisabled', subject: { kind: 'user', id: ID }, actor: OPERATOR, data: {} },
    ])
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
    expect(await run({ ...BOB, totp: [] }), 'a known user keeps them').to.deep.equal([true])
    expect(await succeed(world.store.listFactors(ID))).to.deep.equal(factors)
  })

  it('is exported with the apps that are not removed, and without the recovery codes', async () => {
    await run(BOB)
    const [, tablet] = await succeed(world.store.listFactors(ID))
    if (tablet === undefined) throw new Error('it is not there')
    const codes = aFactor({ userId: ID, kind: 'recovery_codes', name: '', mark: 0, counter: 10, version: 0 })
    const generated = change({ _tag: 'RecoveryCodesGenerated', user: await userOf(world.store, ID), codes })
    await succeed(world.store.commit(generated))
    const of = { user: await userOf(world.store, ID), factors: await succeed(world.store.listFactors(ID)) }
    await succeed(world.store.commit(change({ _tag: 'FactorRemoved', factor: tablet, ...of })))
    const seen = []
    for await (const step of world.service.exportUsers(CONTEXT)) {
      if (isLeft(step)) throw new Error(step.left._tag)
      if (step.right._tag === 'Read') seen.push(...step.right.users)
    }
    expect(seen.map(({ user, totp }) => [user.email, totp])).to.have.deep.members([
      ['Ada@Example.com', []],
      ['bob@example.com', TOTP.slice(0, 1)],
    ])
  })

  it('is not exported if a secret cannot be decrypted: neither anyone else, nor with an entry in the log', async () => {
    await run(BOB)
    const before = await world.events()
    const exporting = exportUsers({
      store: world.store,
      record: () => {
        throw new Error('it was recorded')
      },
      readPasswordRecord: () => left(''),
      wrapping: aesKeyWrapping([]),
    })
    const steps = []
    for await (const step of exporting(CONTEXT)) steps.push(step)
    expect(steps.map((step) => (isLeft(step) ? step.left._tag : step.right._tag))).to.deep.equal([
      'Counted',
      'SecretUnreadable',
    ])
    expect(steps[1]).to.have.nested.property('left.userId', ID)
    expect(await world.events()).to.deep.equal(before)
  })

  it('is not imported without a key, nor is anyone else of the call, unless the user is known', async () => {
    world = await newWorld()
    for (const one of [world.service.importUsers, world.service.rehearseImport()]) {
      const asked = one(CONTEXT, [{ email: 'eve@example.com', password_hash: SOME_RECORD }, BOB])
      expect(await fail(asked)).to.deep.equal({ _tag: 'KeyEncryptionKeyMissing' })
    }
    expect(await world.events()).to.deep.equal([])
    expect(await run({ ...BOB, email: 'ADA@example.com' })).to.deep.equal([true])
  })
})

import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { passkeyCredential } from '../../domain/passkey.ts'
import type { ImportRequest } from '../../domain/user-import.ts'
import { SOME_RECORD } from '../support/import-file.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { change } from '../testkit/builders.ts'
import { cbor } from '../testkit/passkey-verifier/cbor.ts'
import { ODD_KEYS } from '../testkit/passkey-verifier/odd-keys.ts'
import { passkeyKeys } from '../testkit/passkey-verifier/passkey-keys.ts'
import { base64url } from '../testkit/token-format/web-crypto.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ID = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'

describe('a user with passkeys', () => {
  let world: World
  let key = ''
  const passkey = (first: number, fields: object = {}) => ({
    name: 'phone',
    credential_id: base64url(new Uint8Array(32).fill(first)),
    public_key: key,
    rp_id: 'other.example.com',
    counter: 7,
    verifies_user: true,
    backup_eligible: false,
    backed_up: false,
    transports: ['usb'],
    ...fields,
  })
  const person = (name: string, ...passkeys: ReadonlyArray<object>): ImportRequest => ({
    email: `${name}@example.com`,
    password_hash: SOME_RECORD,
    email_verified: true,
    passkeys,
  })
  /** `new`, `known` or the problems of each. */
  const run = async (requests: ReadonlyArray<ImportRequest>, importUsers = world.service.importUsers) =>
    (await succeed(importUsers(CONTEXT, requests))).map((one) => {
      if (isRight(one)) return one.right.isKnown ? 'known' : 'new'
      return one.left
        .map((problem) => ('index' in problem ? `${problem._tag} ${problem.index}` : problem._tag))
        .join()
    })
  const agreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  const only = async () => {
    const [factor] = await succeed(world.store.listFactors(ID))
    if (factor === undefined) throw new Error('it is not there')
    return factor
  }

  before(async () => {
    key = base64url(cbor((await passkeyKeys('ES256')).cose))
  })
  beforeEach(async () => {
    world = await newWorld()
  })

  it('is imported without any setting for passkeys, and the log agrees', async () => {
    expect(await run([{ ...person('bob', passkey(1)), id: ID }])).to.deep.equal(['new'])
    const { id, material, ...factor } = await only()
    expect(factor).to.deep.include({ kind: 'passkey', name: 'phone', mark: 0, counter: 7, flags: 'uv usb' })
    expect(passkeyCredential(material)).to.have.deep.property('value', {
      credentialId: passkey(1).credential_id,
      publicKey: key,
      rpId: 'other.example.com',
    })
    expect((await world.settledEvents()).at(-1)).to.deep.equal({
      type: 'FactorImported',
      subject: { kind: 'user', id: ID },
      actor: OPERATOR,
      data: { factor_id: id, kind: 'passkey', counter: 7 },
    })
    await agreement()
    const exported = []
    for await (const step of world.service.exportUsers(CONTEXT))
      if (isRight(step) && step.right._tag === 'Read') exported.push(...step.right.users)
    expect(exported.map(({ passkeys }) => passkeys.map(({ counter }) => counter))).to.have.deep.members([
      [],
      [7],
    ])
  })

  it('has no passkey of another user, of the store or of a line before', async () => {
    const lines = [
      person('bob', passkey(1)),
      person('eve', passkey(2), passkey(1)),
      person('zoe', passkey(2)),
      { ...person('bob', passkey(1)), email: 'BOB@example.com' },
      person('kim', passkey(2)),
    ]
    const expected = ['new', 'PasskeyTaken 1', 'new', 'known', 'PasskeyTaken 0']
    const rehearse = world.service.rehearseImport()
    expect(await run(lines, rehearse)).to.deep.equal(expected)
    expect(await run([person('tom', passkey(2))], rehearse)).to.deep.equal(['PasskeyTaken 0'])
    expect(await run(lines)).to.deep.equal(expected)
    expect(await run([person('eve', passkey(1), passkey(2)), person('tom', passkey(3))])).to.deep.equal([
      'PasskeyTaken 0,PasskeyTaken 1',
      'new',
    ])
    await agreement()
  })

  it('gets a passkey that was removed elsewhere, and challenges that were answered stay answered', async () => {
    await run([{ ...person('bob', passkey(1)), id: ID }])
    const used = { ...(await only()), mark: 1_772_366_400_000, counter: 8 }
    await succeed(
      world.store.commit(change({ _tag: 'FactorUsed', user: await userOf(world.store, ID), factor: used })),
    )
    const of = { user: await userOf(world.store, ID), factors: [await only()] }
    await succeed(world.store.commit(change({ _tag: 'UserRemoved', ...of })))
    const again = ID.replace('0b', '0c')
    expect(await run([{ ...person('bob', passkey(1)), id: again }])).to.deep.equal(['new'])
    const [returned] = await succeed(world.store.listFactors(again))
    expect(returned).to.deep.include({ mark: used.mark, counter: 7, removed: false, version: 4 })
    await agreement()
  })

  it('has only public keys that a registration accepts', async () => {
    const strong = await Promise.all((['EdDSA', 'RS256'] as const).map(passkeyKeys))
    for (const [index, { cose }] of strong.entries()) {
      const public_key = base64url(cbor(cose))
      expect(await run([person(`new${index}`, passkey(index, { public_key }))])).to.deep.equal(['new'])
    }
    const bytes = Buffer.from(key, 'base64url')
    const odd: ReadonlyArray<readonly [string, Uint8Array]> = [
      ...ODD_KEYS.map(([what, cose]) => [what, cbor(cose)] as const),
      ['a byte after the key', Buffer.concat([bytes, Uint8Array.of(0)])],
      ['no end', bytes.subarray(0, -1)],
      ['no map', cbor([1, 2])],
      ['no CBOR', Uint8Array.of(255)],
    ]
    for (const [what, bytesOfKey] of odd)
      expect(
        await run([person('bob', passkey(9, { public_key: base64url(bytesOfKey) }))]),
        what,
      ).to.deep.equal(['PasskeyKeyRefused 0'])
  })

  it('is not exported if the row of a passkey is damaged', async () => {
    await run([{ ...person('bob', passkey(1)), id: ID }])
    const damaged = { ...(await only()), material: 'damaged' }
    await succeed(world.store.commit(change({ _tag: 'FactorRenamed', factor: damaged })))
    const steps = []
    for await (const step of world.service.exportUsers(CONTEXT))
      steps.push(isLeft(step) ? step.left : step.right._tag)
    expect(steps).to.deep.equal(['Counted', { _tag: 'PasskeyDamaged', userId: ID, factorId: damaged.id }])
  })
})

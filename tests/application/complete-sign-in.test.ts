import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { SecondFactorDue } from '../../application/sessions/sign-in.ts'
import { base32 } from '../../domain/base32.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, SECRET, userOf, wrongCodeAt } from '../support/second-factors.ts'
import { aFactor, change, enrolled } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const A = { id: 'a', secret: 'a'.repeat(32) }
const B = { id: 'b', secret: 'b'.repeat(32) }
const [UNDER_A, B_THEN_A, UNDER_B] = [aesKeyWrapping([A]), aesKeyWrapping([B, A]), aesKeyWrapping([B])]

describe('completeSignIn, given Ada, who has an authenticator app', () => {
  let wrapping: KeyWrapping
  let world: World
  let ada: EnrolledUser
  beforeEach(async () => {
    wrapping = UNDER_A
    // The key-encryption key changes during the test.
    const changing: KeyWrapping = {
      get keyEncryptionKeyId() {
        return wrapping.keyEncryptionKeyId
      },
      wrap: (material, about) => wrapping.wrap(material, about),
      unwrap: (stored, about) => wrapping.unwrap(stored, about),
      assess: (stored, about) => wrapping.assess(stored, about),
    }
    world = await newWorld({ modules: [provide(Dependency.keyWrapping, () => changing)] })
    ada = await enrolUser(world.store, world.ada.id, {
      materialOf: (kid) => UNDER_A.wrap(base32(SECRET), { kid, purpose: 'totp' }),
    })
  })

  const pending = async (): Promise<string> => {
    const failure = await fail(world.service.signIn(CONTEXT, world.caller, world.ada))
    return (failure as SecondFactorDue).token
  }
  const complete = async (proof: { totp?: string; recoveryCode?: string }, token = pending()) =>
    world.service.completeSignIn(CONTEXT, world.caller, { token: await token, ...proof })
  const code = (): string => ada.codeAt(world.clock.read())
  const wrongCode = (): string => wrongCodeAt(SECRET, world.clock.read())
  const row = async () => {
    const [factor] = (await succeed(world.store.listFactors(world.ada.id))).filter(
      ({ kind }) => kind === 'totp',
    )
    if (factor === undefined) throw new Error('Ada has no app')
    return factor
  }
  const expectAgreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])

  it('when the secret is under a former key-encryption key, then the use wraps it again', async () => {
    wrapping = B_THEN_A
    const before = await row()
    await fail(await complete({ totp: wrongCode() }))
    expect(await row()).to.deep.equal(before)
    await succeed(await complete({ totp: code() }))
    const { id, material } = await row()
    expect(UNDER_B.assess(material, { kid: id, purpose: 'totp' })).to.equal('current')
    await expectAgreement()
    world.clock.passSeconds(60)
    await succeed(await complete({ totp: code() }))
    expect((await row()).material, 'a current one stays').to.equal(material)
  })

  it('when the key is lost, then codes of the app are unusable and count nothing, and recovery codes work', async () => {
    wrapping = UNDER_B
    for (const totp of Array(8).fill(code()))
      expect(await fail(await complete({ totp }))).to.deep.equal({ _tag: 'KeyUnusable', kid: ada.app.id })
    await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }))
    wrapping = UNDER_A
    await succeed(await complete({ totp: code() }))
  })

  it('when one of two secrets cannot be read, then the other app works, and wrong codes count', async () => {
    const user = await userOf(world.store, world.ada.id)
    const other = aFactor({ userId: user.id, mark: 0, material: 'wrapped by another service' })
    await succeed(world.store.commit(change(enrolled(other, user))))
    await succeed(await complete({ totp: code() }))
    world.clock.passSeconds(60)
    for (let time = 0; time < 5; time += 1)
      expect(await fail(await complete({ totp: wrongCode() }))).to.have.property('_tag', 'Invalid')
    expect(await fail(await complete({ totp: code() }))).to.have.property('_tag', 'Throttled')
  })

  it('when the store cannot write, then nothing is used up and nothing counts', async () => {
    const tokens = [await pending(), await pending()]
    world.store.readOnly = true
    for (let time = 0; time < 8; time += 1)
      for (const proof of [{ totp: code() }, { recoveryCode: ada.recoveryCodes[0] }])
        expect(await fail(await complete(proof, Promise.resolve(tokens[0] ?? '')))).to.have.property(
          '_tag',
          'StoreUnavailable',
        )
    world.store.readOnly = false
    await succeed(await complete({ totp: code() }, Promise.resolve(tokens[0] ?? '')))
    await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }, Promise.resolve(tokens[1] ?? '')))
  })

  it('when the password is wrong, then no factor is read', async () => {
    let reads = 0
    const { listFactors } = world.store
    world.store.listFactors = (userId) => {
      reads += 1
      return listFactors(userId)
    }
    await fail(world.service.signIn(CONTEXT, world.caller, { ...world.ada, password: 'wrong' }))
    await fail(world.service.signIn(CONTEXT, world.caller, { email: 'nobody@example.com', password: 'old' }))
    expect(reads).to.equal(0)
    await pending()
    expect(reads).to.equal(1)
  })

  it('when it is refused, then no event has a code or a token', async () => {
    const token = await pending()
    const wrong = wrongCode()
    await fail(await complete({ totp: wrong }, Promise.resolve(token)))
    await fail(await complete({ recoveryCode: 'a-secret-guess' }, Promise.resolve(token)))
    await fail(await complete({ totp: code() }, Promise.resolve('ost_unknown')))
    await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }, Promise.resolve(token)))
    const said = JSON.stringify(await world.settledEvents())
    for (const secret of [
      token,
      `"${wrong}"`,
      `"${code()}"`,
      'a-secret-guess',
      ada.recoveryCodes[0],
      base32(SECRET),
    ])
      expect(said).not.to.include(secret)
  })
})

import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import type { KeyWrapping } from '../../application/ports/key-wrapping.ts'
import type { SecondFactorDue } from '../../application/sessions/await-second-factor.ts'
import type { UserCaller } from '../../domain/access.ts'
import { base32 } from '../../domain/base32.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, SECRET, userOf, wrongCodeAt } from '../support/second-factors.ts'
import { aFactor, change, enrolled } from '../testkit/builders.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

type Proof = Readonly<{ totp?: string; recoveryCode?: string }>

const invalid = (problem: string) => ({ _tag: 'Invalid', problems: [problem] })
const [TOTP_WRONG, RECOVERY_CODE_WRONG] = [invalid('TotpWrong'), invalid('RecoveryCodeWrong')]
const TOKEN_ENDED = invalid('TokenEnded')
const BOB = { email: 'bob@example.com', password: 'old' }

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

  const pending = async (user: { email: string; password: string } = world.ada): Promise<string> => {
    const failure = await fail(world.service.signIn(CONTEXT, world.caller, user))
    return (failure as SecondFactorDue).token
  }
  const complete = async (proof: Proof, token: string | Promise<string> = pending()) =>
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
        expect(await fail(await complete(proof, tokens[0]))).to.have.property('_tag', 'StoreUnavailable')
    world.store.readOnly = false
    await succeed(await complete({ totp: code() }, tokens[0]))
    await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }, tokens[1]))
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

  const stepUp = (caller: UserCaller, totp: string) =>
    world.service.stepUp(CONTEXT, caller, { password: undefined, totp })
  const signedIn = async (proof: Proof = { totp: code() }) => {
    const { token } = await succeed(await complete(proof))
    return succeed(world.service.authenticate(CONTEXT, 'stepUp', token))
  }
  const reasons = async () =>
    (await world.settledEvents()).flatMap(({ type, data }) =>
      type === 'SecondFactorRefused' && 'reason' in data ? [data.reason] : [],
    )

  it('when a code was used, then it is refused there and in a step-up, and an older one, too', async () => {
    const older = code()
    world.clock.passSeconds(30)
    const caller = await signedIn()
    for (const totp of [code(), older]) {
      expect(await fail(await complete({ totp }))).to.deep.equal(TOTP_WRONG)
      expect(await fail(stepUp(caller, totp))).to.deep.equal(TOTP_WRONG)
    }
    expect(await reasons()).to.deep.equal(Array(4).fill('used_code'))
    world.clock.passSeconds(30)
    await succeed(stepUp(caller, code()))
    expect(await fail(await complete({ totp: code() })), 'the fifth').to.deep.equal(TOTP_WRONG)
    await expectAgreement()
  })

  it('when a recovery code was used, or is of another user, then it is refused', async () => {
    const [recoveryCode, another] = ada.recoveryCodes
    await succeed(await complete({ recoveryCode }))
    expect(await fail(await complete({ recoveryCode }))).to.deep.equal(RECOVERY_CODE_WRONG)
    const { id } = await succeed(world.service.registerUser(CONTEXT, BOB, OPERATOR))
    await enrolUser(world.store, id, { secret: new Uint8Array(20), recoveryCodes: ['bbbb', 'cccc'] })
    const token = pending(BOB)
    expect(await fail(await complete({ recoveryCode: another }, token))).to.deep.equal(RECOVERY_CODE_WRONG)
    await succeed(await complete({ recoveryCode: 'bbbb' }, token))
  })

  it('when its token is used, of another application, or of a password that has changed, then it has ended', async () => {
    const [used, foreign] = [await pending(), await pending()]
    await succeed(await complete({ totp: code() }, used))
    world.clock.passSeconds(30)
    expect(await fail(await complete({ totp: code() }, used))).to.deep.equal(TOKEN_ENDED)
    const application = { ...world.caller.application, id: 'other' }
    const caller = { ...world.caller, application }
    const request = { token: foreign, totp: code() }
    expect(await fail(world.service.completeSignIn(CONTEXT, caller, request))).to.deep.equal(TOKEN_ENDED)
    await succeed(world.service.setPassword(CONTEXT, { user: ada.app.userId, password: 'old' }))
    expect(await fail(await complete({ totp: code() }, foreign))).to.deep.equal(TOKEN_ENDED)
    expect(await reasons()).to.deep.equal(Array(3).fill('token_ended'))
    await succeed(await complete({ totp: code() }))
  })

  describe('when her codes were wrong five times in a row', () => {
    let caller: UserCaller
    beforeEach(async () => {
      caller = await signedIn()
      world.clock.passSeconds(60)
      for (let time = 0; time < 3; time += 1)
        expect(await fail(await complete({ totp: wrongCode() }))).to.deep.equal(TOTP_WRONG)
      for (let time = 0; time < 2; time += 1)
        expect(await fail(stepUp(caller, wrongCode()))).to.deep.equal(TOTP_WRONG)
    })
    const expectPause = async (retryAfterSeconds: number) =>
      expect(await fail(await complete({ totp: code() }))).to.deep.equal({
        _tag: 'Throttled',
        retryAfterSeconds,
      })

    it('then right ones wait in both places, and her password does not', async () => {
      await expectPause(30)
      expect(await fail(stepUp(caller, code()))).to.have.property('_tag', 'Throttled')
      expect((await reasons()).slice(5)).to.deep.equal(Array(2).fill('too_many_failures'))
      expect(await fail(world.service.signIn(CONTEXT, world.caller, world.ada))).to.have.property(
        '_tag',
        'SecondFactorDue',
      )
    })

    it('then a recovery code ends the wait, and wrong ones count nothing', async () => {
      for (let time = 0; time < 20; time += 1)
        expect(await fail(await complete({ recoveryCode: 'wrong' }))).to.deep.equal(RECOVERY_CODE_WRONG)
      await expectPause(30)
      await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }))
      await succeed(await complete({ totp: code() }))
    })

    it('then the removal of the app ends the wait', async () => {
      const { removeFactor } = world.service
      await succeed(removeFactor(CONTEXT, caller, { factorId: ada.app.id }))
      const found = await succeed(world.store.findSession(caller.session.id))
      const own = isSome(found) ? { ...caller, ...found.value } : caller
      for (let time = 0; time < 10; time += 1)
        expect(await fail(stepUp(own, '123456')), 'without an app nothing counts').to.deep.equal(TOTP_WRONG)
    })

    it('then a recovery of the password ends the wait, and the next one is twice as long', async () => {
      const { service, ada: user } = world
      const desk = { ...world.caller, scope: ['users:recover'] as const }
      const recover = async () => {
        const { account } = await succeed(service.startRecovery(CONTEXT, desk, user))
        const passwords = { newPassword: 'old', newPasswordCheck: 'old' }
        const token = isSome(account) ? account.value.token : undefined
        await succeed(service.completeRecovery(CONTEXT, { token, ...passwords }))
      }
      await recover()
      expect(await fail(await complete({ totp: wrongCode() }))).to.deep.equal(TOTP_WRONG)
      await expectPause(60)
      await recover()
      await succeed(await complete({ totp: code() }))
    })
  })

  it('when three proofs of any kind from one network are wrong, then proofs from there wait, and no others', async () => {
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, THROTTLE_ADDRESS_FAILURES: '3' } })
    ada = await enrolUser(world.store, world.ada.id)
    const from = async (endUserAddress: string, proof: Proof & { credential?: string }) =>
      world.service.completeSignIn({ ...CONTEXT, endUserAddress }, world.caller, {
        token: await pending(),
        ...proof,
      })
    const recoveryCode = ada.recoveryCodes[0] as string
    expect(await fail(await from('192.0.2.1', { totp: wrongCode() }))).to.deep.equal(TOTP_WRONG)
    for (const wrong of ['a', 'b'].map((letter) => Array(6).fill(letter.repeat(4)).join('-')))
      expect(await fail(await from('192.0.2.1', { recoveryCode: wrong }))).to.deep.equal(RECOVERY_CODE_WRONG)
    for (const right of [{ totp: code() }, { recoveryCode }])
      expect(await fail(await from('192.0.2.1', right))).to.include({ _tag: 'Throttled' })
    await succeed(await from('192.0.2.2', { recoveryCode }))
  })

  it('when it is refused, then no event has a code or a token', async () => {
    const token = await pending()
    const wrong = wrongCode()
    await fail(await complete({ totp: wrong }, token))
    await fail(await complete({ recoveryCode: 'a-secret-guess' }, token))
    await fail(await complete({ totp: code() }, 'ost_unknown'))
    await succeed(await complete({ recoveryCode: ada.recoveryCodes[0] }, token))
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

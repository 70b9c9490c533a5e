import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import type { CompletePasswordChange } from '../../application/accounts/complete-password-change.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, SECRET, userOf, wrongCodeAt } from '../support/second-factors.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'
const ENDED = { _tag: 'InvalidToken' }
const WRONG = { _tag: 'Invalid', problems: ['TotpWrong'] }
const MISSING = { _tag: 'Invalid', problems: ['ProofMissing'] }

describe('completePasswordChange, given Ada with a second factor, who knows her password', () => {
  let world: World
  let factor: EnrolledUser
  let proof: string
  let complete: CompletePasswordChange
  beforeEach(async () => {
    world = await newWorld({ environment: FACTOR_SETTINGS })
    factor = await enrolUser(world.store, world.ada.id)
    const { completePasswordChange } = world.service
    if (completePasswordChange === undefined) throw new Error('there is no second step')
    complete = completePasswordChange
    proof = await begin('new')
  })

  const change = (newPassword: string, newPasswordCheck = newPassword) =>
    world.service.changePasswordByEmail(CONTEXT, {
      email: ADA,
      oldPassword: 'old',
      newPassword,
      newPasswordCheck,
    })
  const begin = async (newPassword: string) => {
    const next = await succeed(change(newPassword))
    if (!isSome(next)) throw new Error('no second step follows')
    return next.value
  }
  const code = () => factor.codeAt(world.clock.read())
  const send = (fields: Parameters<CompletePasswordChange>[1]) => complete(CONTEXT, fields)
  const types = async () => (await world.settledEvents()).map(({ type }) => type)
  const works = async (oldPassword: string) =>
    isRight(
      await world.service.changePasswordByEmail(CONTEXT, {
        email: ADA,
        oldPassword,
        newPassword: 'other',
        newPasswordCheck: 'other',
      })(),
    )

  it('when only the password is proved, then nothing changes, and the log says that a factor is missing', async () => {
    expect((await userOf(world.store, world.ada.id)).passwordVersion).to.equal(1)
    expect(await works('old')).to.equal(true)
    expect((await world.settledEvents()).at(-1)).to.deep.include({
      type: 'SecondFactorRefused',
      data: { reason: 'missing_field' },
    })
  })

  it('when the new password is refused, then the first step reports it', async () => {
    expect(await fail(change('new', 'other'))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['NewPasswordCheckDiffers'],
    })
  })

  for (const [name, field] of [
    ['a code of the app', () => ({ totp: code() })],
    ['a recovery code', () => ({ recoveryCode: factor.recoveryCodes[0] })],
  ] as const)
    it(`when ${name} is sent, then the factor is used and the password set in one change, once`, async () => {
      await succeed(send({ proof, ...field() }))
      expect((await types()).filter((type) => !type.endsWith('Refused')).slice(-2)).to.deep.equal([
        'FactorUsed',
        'PasswordSet',
      ])
      expect(await works('new')).to.equal(true)
      expect(await works('old')).to.equal(false)
      world.clock.passSeconds(60)
      expect(await fail(send({ proof, totp: code() }))).to.deep.equal(ENDED)
    })

  it('when no code, both codes or a wrong one is sent, then the same proof is still good', async () => {
    expect(await fail(send({ proof }))).to.deep.equal(MISSING)
    const both = { totp: code(), recoveryCode: factor.recoveryCodes[0] }
    expect(await fail(send({ proof, ...both }))).to.deep.equal(MISSING)
    const totp = wrongCodeAt(SECRET, world.clock.read())
    expect(await fail(send({ proof, totp }))).to.deep.equal(WRONG)
    await succeed(send({ proof, totp: code() }))
  })

  for (const [name, prepare] of [
    ['301 seconds have passed', async () => world.clock.passSeconds(301)],
    ['the user is disabled', () => succeed(world.service.disableUser(CONTEXT, ADA))],
    ['the user is removed', () => succeed(world.service.removeUser(CONTEXT, ADA))],
    ['the password was set', () => succeed(world.service.setPassword(CONTEXT, { user: ADA, password: 'x' }))],
    ['the proof is changed', async () => (proof = `${proof.slice(0, -2)}AA`)],
    ['no proof is sent', async () => (proof = '')],
  ] satisfies ReadonlyArray<readonly [string, () => Promise<unknown>]>)
    it(`when ${name}, then the proof has ended, and no code is used`, async () => {
      await prepare()
      expect(await fail(send({ proof, totp: code() }))).to.deep.equal(ENDED)
      expect(await types()).not.to.include('FactorUsed')
    })

  it('when 300 seconds have passed, then the proof is still good', async () => {
    world.clock.passSeconds(300)
    await succeed(send({ proof, totp: code() }))
  })

  it('when the user is disabled between the reads and the change, then nothing changes', async () => {
    const { listFactors } = world.store
    world.store.listFactors = (userId) => async () => {
      const found = await listFactors(userId)()
      await world.service.disableUser(CONTEXT, ADA)()
      return found
    }
    expect(await fail(send({ proof, totp: code() }))).to.deep.equal(ENDED)
    expect(await types())
      .not.to.include('FactorUsed')
      .and.not.to.include('PasswordSet')
  })

  it('when several second steps race on one code, then one wins', async () => {
    const proofs = [proof, await begin('second'), await begin('third')]
    const outcomes = await Promise.all(proofs.map((one) => send({ proof: one, totp: code() })()))
    expect(outcomes.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(1)
    expect((await types()).filter((type) => type === 'PasswordSet')).to.have.lengthOf(1)
  })

  it('when the proof is sent to the page for second factors, then it opens nothing there', async () => {
    const { securityPage } = world.service
    expect(securityPage && (await succeed(securityPage.open(proof)))).to.deep.equal(none)
  })
})

describe('changePasswordByEmail, given a second factor and no KEY_ENCRYPTION_KEY', () => {
  it('has no second step, so the right password ends as a refusal', async () => {
    const world = await newWorld()
    await enrolUser(world.store, world.ada.id)
    expect(world.service.completePasswordChange).to.equal(undefined)
    const request = { email: ADA, oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }
    expect(await fail(world.service.changePasswordByEmail(CONTEXT, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['SecondFactorDue'],
    })
  })
})

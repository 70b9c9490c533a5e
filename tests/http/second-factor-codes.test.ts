import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type FactorDesk,
  PASSED,
  refused,
  SECOND_STEP,
  SIGN_IN,
  STEP_UP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { aFactor, change } from '../testkit/builders.ts'

onMemory('codes of the second step', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  beforeEach(async () => {
    desk = await startFactorDesk(stores)
  })
  afterEach(() => desk.stop())

  const complete = async (proof: object, token?: string) =>
    verdict(await desk.complete(token ?? (await desk.pending()), proof))

  it('a TOTP code is accepted once, also in step-up after sign-in; an older code after a newer one never', async () => {
    const [older, newer] = [desk.code(), desk.code(30)]
    const session = await desk.userToken({ totp: newer })
    for (const totp of [newer, older]) {
      expect(await complete({ totp })).to.deep.equal(refused(4))
      expect(verdict(await desk.post(STEP_UP, session, { totp }))).to.deep.equal(refused(3))
    }
    expect(await desk.reasons(4)).to.deep.equal(Array(4).fill('used_code'))
    desk.passSeconds(60)
    expect(verdict(await desk.post(STEP_UP, session, { totp: desk.code() }))).to.deep.equal(PASSED)
    expect(await complete({ totp: desk.code() })).to.deep.equal(refused(4))
    await desk.expectAgreement()
  })

  it('codes of −30, 0, +30 s pass, −60 and +60 s do not; a mark from a clock that was an hour ahead locks nobody out', async () => {
    for (const seconds of [-60, 60])
      expect(await complete({ totp: desk.code(seconds) })).to.deep.equal(refused(4))
    for (const seconds of [-30, 0, 30])
      expect(await complete({ totp: desk.code(seconds) })).to.deep.equal(PASSED)
    desk.passSeconds(3_600)
    expect(await complete({ totp: desk.code() })).to.deep.equal(PASSED)
    desk.passSeconds(-3_600)
    const late = desk.code()
    expect(await complete({ totp: late })).to.deep.equal(PASSED)
    expect(await complete({ totp: late })).to.deep.equal(refused(4))
  })

  it('of two uses of one recovery code one wins; codes of A do not work for B', async () => {
    const [recovery_code, another] = desk.ada.recoveryCodes
    expect(await complete({ recovery_code })).to.deep.equal(PASSED)
    expect(await complete({ recovery_code })).to.deep.equal(refused(5))
    const bob = { email: 'bob@example.com', password: 'correct horse' }
    const { id } = await succeed(desk.running.service.registerUser(CONTEXT, bob, OPERATOR))
    await enrolUser(desk.store, id, { secret: new Uint8Array(20), recoveryCodes: ['bbbb', 'cccc'] })
    const { body } = await desk.ask(SIGN_IN, bob)
    const token = body.second_factor.token
    expect(await complete({ recovery_code: another }, token)).to.deep.equal(refused(5))
    expect(await complete({ totp: desk.code() }, token)).to.deep.equal(refused(4))
    expect(await complete({ recovery_code: 'bbbb' }, token)).to.deep.equal(PASSED)
    expect(await complete({ recovery_code: another })).to.deep.equal(PASSED)
  })

  it('recovery codes alone are never due', async () => {
    const bob = { email: 'bob@example.com', password: 'correct horse' }
    const { id } = await succeed(desk.running.service.registerUser(CONTEXT, bob, OPERATOR))
    const codes = aFactor({ userId: id, kind: 'recovery_codes', name: '', material: 'digest', counter: 1 })
    await succeed(
      desk.store.commit(
        change({
          _tag: 'RecoveryCodesGenerated',
          user: await userOf(desk.store, id),
          codes: { ...codes, version: 0 },
        }),
      ),
    )
    expect(verdict(await desk.ask(SIGN_IN, bob))).to.deep.equal(PASSED)
  })

  it('a pending token works once; of another application, after 300 s, after a password change or a disabled user, never', async () => {
    const { service, user } = desk.running
    const used = await desk.pending()
    expect(await complete({ totp: desk.code(-30) }, used)).to.deep.equal(PASSED)
    expect(await complete({ totp: desk.code() }, used)).to.deep.equal(refused(3))

    const made = await succeed(
      service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
    )
    const { token: other } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const foreign = await desk.post(SECOND_STEP, other, { token: await desk.pending(), totp: desk.code() })
    expect(verdict(foreign)).to.deep.equal(refused(3))

    const expiring = await desk.pending()
    desk.passSeconds(299)
    expect(await complete({ totp: desk.wrongCode() }, expiring)).to.deep.equal(refused(4))
    desk.passSeconds(1)
    expect(await complete({ totp: desk.code() }, expiring)).to.deep.equal(refused(3))

    const beforeChange = await desk.pending()
    await succeed(service.setPassword(CONTEXT, { user: user.id, password: user.password }))
    expect(await complete({ totp: desk.code() }, beforeChange)).to.deep.equal(refused(3))

    const beforeDisabled = await desk.pending()
    await succeed(service.disableUser(CONTEXT, user.email))
    expect(await complete({ totp: desk.code() }, beforeDisabled)).to.deep.equal(refused(3))
    await succeed(service.enableUser(CONTEXT, user.email))

    const beforeRemoval = await desk.pending()
    const factors = await succeed(desk.store.listFactors(user.id))
    await succeed(
      desk.store.commit(change({ _tag: 'FactorsReset', user: await userOf(desk.store, user.id), factors })),
    )
    expect(await complete({ totp: desk.code() }, beforeRemoval)).to.deep.equal(refused(3))
    expect(verdict(await desk.signIn()), 'no factor is due any more').to.deep.equal(PASSED)
    const revoked = desk.running.keys.public_api_key.slice(3)
    await succeed(service.revokeApplication(CONTEXT, revoked))
    await desk.expectAgreement()
  })

  it('a restored back-up: TOTP replays fail after 90 s', async () => {
    const [recovery_code] = desk.ada.recoveryCodes
    const totp = desk.code(30)
    await desk.userToken({ totp })
    const factor = (await succeed(desk.store.listFactors(desk.running.user.id))).find(
      ({ kind }) => kind === 'totp',
    )
    if (factor === undefined) throw new Error('Ada has no app')
    // As after a restore: the mark of the use is lost.
    await succeed(desk.store.commit(change({ _tag: 'FactorUsed', factor: { ...factor, mark: 0 } })))
    desk.passSeconds(90)
    expect(await complete({ totp })).to.deep.equal(refused(4))
    expect(await complete({ recovery_code })).to.deep.equal(PASSED)
  })
})

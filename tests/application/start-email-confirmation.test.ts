import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { EmailConfirmationStartRequest } from '../../domain/email-confirmation.ts'
import { isOneTimeToken } from '../../domain/one-time-token.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { userOf } from '../support/second-factors.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT, NOW } from './world.ts'

const NEW = 'ada@example.org'
const DAY = 86_400
const HOUR = 3_600
const THREE = { THROTTLE_ACCOUNT_FAILURES: '3' }

const startWith = (life: AccountLife, request: Partial<EmailConfirmationStartRequest>) =>
  life.service.startEmailConfirmation(CONTEXT, life.deskCaller, {
    userId: life.ada.id,
    email: life.ada.email,
    password: undefined,
    ...request,
  })

describe('startEmailConfirmation, given that Ada@Example.com is registered with the password "old"', () => {
  let life: AccountLife
  let hashes: number
  beforeEach(async () => {
    const counting = plainHasher(async (work) => {
      if (work === 'verify') hashes += 1
      return undefined
    })
    life = await newAccountLife({ environment: THREE, hasher: counting })
    hashes = 0
  })

  const start = (request: Partial<EmailConfirmationStartRequest>) => startWith(life, request)

  it('of the e-mail on record, then it needs no password and replaces nothing', async () => {
    const { token, expiresInSeconds, notify } = await succeed(start({}))
    expect([expiresInSeconds, notify]).to.deep.equal([DAY, none])
    expect(isOneTimeToken('email_confirmation', token)).to.equal(true)
    expect(hashes).to.equal(0)
  })

  it('of the e-mail on record with a wrong password, then the password is ignored', async () => {
    const before = await life.settledEvents()
    for (let each = 0; each < 5; each += 1) await succeed(start({ password: 'wrong' }))
    expect(hashes).to.equal(0)
    const added = (await life.settledEvents()).slice(before.length).map(({ type }) => type)
    expect(new Set(added)).to.deep.equal(new Set(['EmailConfirmationStarted']))
  })

  for (const email of [NEW, 'ada@example.com']) {
    it(`of ${email} with the password, then the application must notify the e-mail on record`, async () => {
      expect(await succeed(start({ email, password: 'old' }))).to.deep.include({
        notify: some('Ada@Example.com'),
      })
      expect((await userOf(life.store, life.ada.id)).email).to.equal('Ada@Example.com')
    })
  }

  it('then the event has the application as actor, and nothing secret', async () => {
    const { token } = await succeed(start({ email: NEW, password: 'old' }))
    const event = (await life.settledEvents()).at(-1)
    expect(event).to.deep.include({
      type: 'EmailConfirmationStarted',
      subject: { kind: 'user', id: life.ada.id },
      actor: { kind: 'application', id: life.desk.application.id },
    })
    expect(event?.data).to.have.all.keys('token_id', 'expires_at')
    expect(event?.data).to.include({ expires_at: new Date(Date.parse(NOW) + DAY * 1000).toISOString() })
    for (const secret of [token, NEW, life.ada.email]) expect(JSON.stringify(event)).not.to.include(secret)
  })

  for (const [what, email] of [
    ['the e-mail on record', 'ada@example.com'],
    ['another e-mail', NEW],
  ] as const) {
    it(`when ${what} has had five, then it waits for the rest of the hour`, async () => {
      const again = (each: number) =>
        start({ email: each % 2 === 0 ? email : email.toUpperCase(), password: 'old' })
      for (let each = 0; each < 5; each += 1) await succeed(again(each))
      life.clock.passSeconds(HOUR - 1)
      expect(await fail(again(5))).to.deep.equal({
        _tag: 'Throttled',
        retryAfterSeconds: 1,
        tooMany: 'mails_to_email',
      })
      await succeed(start({ email: 'third@example.com', password: 'old' }))
      const recovery = life.service.startRecovery(CONTEXT, life.deskCaller, { email })
      expect(await fail(recovery)).to.include({ _tag: 'Throttled', tooMany: 'mails_to_email' })
      life.clock.passSeconds(1)
      await succeed(again(6))
    })
  }

  it('when a wrong password comes with another problem, then both are noted, each in its own event', async () => {
    await fail(start({ email: 'x', password: 'wrong' }))
    const noted = (await life.settledEvents()).slice(-2)
    expect(noted.map(({ type, data }) => [type, data])).to.deep.equal([
      ['SignInRefused', { reason: 'wrong_password' }],
      ['EmailConfirmationRefused', { codes: [5] }],
    ])
  })

  it('when the e-mail has had too many, then a refusal without codes is noted', async () => {
    for (let each = 0; each < 6; each += 1) await start({})()
    expect((await life.settledEvents()).at(-1)).to.deep.equal({
      type: 'EmailConfirmationRefused',
      subject: { kind: 'user', id: life.ada.id },
      actor: { kind: 'application', id: life.desk.application.id },
      data: { codes: [] },
    })
  })

  it('when starts are refused, then they do not count for the e-mail', async () => {
    for (let each = 0; each < 9; each += 1) {
      await fail(start({ email: NEW, password: undefined }))
      await fail(start({ userId: 'unknown', email: NEW, password: 'old' }))
    }
    await fail(start({ email: NEW, password: 'wrong' }))
    for (let each = 0; each < 5; each += 1) await succeed(start({ email: NEW, password: 'old' }))
  })

  it('when forty come at once for one e-mail, then five get a token', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => start({})()))
    expect(all.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(5)
  })

  it('with a wrong password, then it counts and is noted as a failed sign-in', async () => {
    const wrong = () => fail(start({ email: NEW, password: 'wrong' }))
    expect(await wrong()).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordWrong'] })
    const noted = (reason: string) => ({
      type: 'SignInRefused',
      subject: { kind: 'user', id: life.ada.id },
      actor: { kind: 'application', id: life.desk.application.id },
      data: { reason },
    })
    expect((await life.settledEvents()).at(-1)).to.deep.equal(noted('wrong_password'))
    await wrong()
    await wrong()
    expect(await wrong()).to.deep.equal({ _tag: 'Throttled', retryAfterSeconds: 30 })
    expect((await life.settledEvents()).at(-1)).to.deep.equal(noted('too_many_failures'))
    expect(hashes).to.equal(3)
    const signIn = life.service.signIn(CONTEXT, life.caller, { email: life.ada.email, password: 'old' })
    expect((await fail(signIn))._tag).to.equal('Throttled')
    await succeed(start({})) // the e-mail on record needs no password
  })

  it('with the right password, then the count of the account is cleared', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 2; each += 1) await fail(start({ email: NEW, password: 'wrong' }))
      await succeed(start({ email: NEW, password: 'old' }))
    }
  })

  it('of an unknown user, then no password is verified, and only the codes are noted', async () => {
    const before = await life.settledEvents()
    for (let each = 0; each < 9; each += 1)
      expect(await fail(start({ userId: 'unknown', email: NEW, password: 'old' }))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['UserUnknown'],
      })
    expect(hashes).to.equal(0)
    const noted = (await life.settledEvents()).slice(before.length)
    expect(noted).to.have.lengthOf(9)
    for (const { type, subject, data } of noted)
      expect({ type, subject, data }).to.deep.equal({
        type: 'EmailConfirmationRefused',
        subject: { kind: 'service', id: 'portcullis' },
        data: { codes: [4] },
      })
  })

  it('of a disabled or removed user, then the user is unknown', async () => {
    const problems = async (request: object = { email: NEW, password: 'old' }) => {
      const failure = await fail(start(request))
      return failure._tag === 'Invalid' ? failure.problems : failure
    }
    await succeed(life.service.disableUser(CONTEXT, life.ada.email))
    expect(await problems()).to.deep.equal(['UserUnknown'])
    expect(await problems({}), 'the own e-mail').to.deep.equal(['UserUnknown', 'PasswordMissing'])
    expect(await problems({ userId: 'x', password: 'old' })).to.deep.equal(['UserUnknown', 'EmailTaken'])
    await succeed(life.service.removeUser(CONTEXT, life.ada.email))
    expect(await problems()).to.deep.equal(['UserUnknown'])
  })

  it('of the e-mail of another user, then it is taken, in any case', async () => {
    const bob = { email: 'bob@example.com', password: 'old' }
    await succeed(life.service.registerUser(CONTEXT, bob, OPERATOR))
    expect(await fail(start({ email: 'BOB@example.com', password: 'wrong' }))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['EmailTaken', 'PasswordWrong'],
    })
  })

  it('with the lifetime of EMAIL_CONFIRMATION_TTL', async () => {
    const short = await newAccountLife({ environment: { EMAIL_CONFIRMATION_TTL: '60' } })
    expect((await succeed(startWith(short, {}))).expiresInSeconds).to.equal(60)
  })
})

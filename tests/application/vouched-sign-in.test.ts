import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { SecondFactorDue } from '../../application/sessions/await-second-factor.ts'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { SignInRefusal } from '../../domain/refusal-reasons.ts'
import type { VouchedSignInRequest } from '../../domain/vouched-sign-in.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { enrolUser } from '../support/second-factors.ts'
import { claimsOf } from '../support/token-claims.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const LIFETIMES = { SESSION_TTL: '86400', SESSION_REMEMBER_TTL: '200000', THROTTLE_SIGN_INS: '1000000' }

describe('a sign-in that an application vouches for', () => {
  let world: World
  let google: ApplicationCaller
  const start = async (environment = {}) => {
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, ...LIFETIMES, ...environment } })
    google = await callerWith('users:vouch users:sign_in users:confirm_email')
  }
  beforeEach(() => start())
  afterEach(async () => {
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  const callerWith = async (scope: string, requireAal2 = false) => {
    const { service } = world
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'google', scope, requireAal2 }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    return succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
  }
  const vouch = (request: Partial<VouchedSignInRequest> = {}, caller = google) =>
    world.service.signInVouched(CONTEXT, caller, {
      userId: world.ada.id,
      email: undefined,
      method: 'fed',
      ...request,
    })
  const byEmail = (more: Partial<VouchedSignInRequest> = {}) =>
    vouch({ userId: undefined, email: world.ada.email, ...more })
  const userOf = async () => {
    const found = await succeed(world.store.findUser(world.ada.id))
    if (!isSome(found)) throw new Error('Ada is gone')
    return found.value
  }
  const sessionOf = async (token: string) => {
    const found = await succeed(world.store.findSession(claimsOf(token).sid))
    if (!isSome(found)) throw new Error('the session does not exist')
    return found.value.session
  }
  const isAlive = async (token: string) =>
    (await world.service.authenticate(CONTEXT, 'getProfile', token)())._tag === 'Right'
  const typesSince = async (count: number) => (await world.events()).slice(count).map(({ type }) => type)

  it('opens a session, and says that the service saw no proof', async () => {
    const signedIn = await succeed(vouch({ label: 'Firefox', remember: true }))
    expect(signedIn).to.deep.include({ userId: world.ada.id, acr: 'aal1', amr: ['vouched', 'fed'] })
    expect(claimsOf(signedIn.token)).to.deep.include({ acr: 'aal1', amr: ['vouched', 'fed'] })
    expect(await sessionOf(signedIn.token)).to.deep.include({
      methods: 'vouched_fed',
      label: some('Firefox'),
      remembered: true,
      applicationId: google.application.id,
    })
    const entry = (await world.events()).at(-1)
    expect(entry?.type).to.equal('UserSignedIn')
    expect(entry?.actor).to.deep.equal({ kind: 'application', id: google.application.id })
    expect(entry?.data).to.deep.include({ amr: ['vouched', 'fed'], remembered: true })
    expect((await userOf()).passwordRecord, 'nothing else changes').to.not.equal('')
  })

  it('waits for a second factor, and keeps what was vouched for', async () => {
    const enrolled = await enrolUser(world.store, world.ada.id)
    const due = (await fail(vouch({ method: 'sms', label: 'phone', remember: true }))) as SecondFactorDue
    expect(due).to.include({ _tag: 'SecondFactorDue', expiresInSeconds: 300 })
    const entry = (await world.events()).at(-1)
    expect([entry?.type, entry?.data]).to.deep.equal([
      'SecondFactorRequested',
      { ...entry?.data, amr: ['vouched', 'sms'] },
    ])
    const [recoveryCode] = enrolled.recoveryCodes
    const completed = await succeed(
      world.service.completeSignIn(CONTEXT, google, { token: due.token, recoveryCode }),
    )
    const amr = ['vouched', 'sms', 'recovery_code', 'mfa']
    expect(completed).to.deep.include({ acr: 'aal2', amr })
    expect(await sessionOf(completed.token)).to.deep.include({
      methods: 'vouched_sms recovery_code',
      label: some('phone'),
      remembered: true,
    })
    const after = await fail(vouch())
    const other = await fail(
      world.service.completeSignIn(CONTEXT, world.caller, {
        token: (after as SecondFactorDue).token,
        recoveryCode: enrolled.recoveryCodes[1],
      }),
    )
    expect(other, 'of another application').to.have.property('_tag', 'Invalid')
  })

  it('claims nothing in an application that requires a factor which the user lacks', async () => {
    const strict = await callerWith('users:vouch users:confirm_email', true)
    const before = await userOf()
    const refusal = await fail(
      vouch({ userId: undefined, email: world.ada.email, emailVerified: true }, strict),
    )
    expect(refusal).to.deep.equal({ _tag: 'SecondFactorMissing' })
    expect(await userOf()).to.deep.equal(before)
  })

  it('claims an account that another person registered, in one change with the session', async () => {
    const { service } = world
    const thief = await world.signIn()
    const recovering = await callerWith('users:vouch users:recover')
    const recovery = await succeed(service.startRecovery(CONTEXT, recovering, { email: world.ada.email }))
    const recoveryToken = isSome(recovery.account) ? recovery.account.value.token : ''
    const change = await succeed(
      service.startEmailConfirmation(CONTEXT, google, {
        userId: world.ada.id,
        email: 'thief@example.com',
        password: world.ada.password,
      }),
    )
    const { length } = await world.events()

    const owner = await succeed(byEmail({ emailVerified: true }))
    expect(owner).to.include({ userId: world.ada.id, emailVerified: true })
    expect(await typesSince(length)).to.deep.equal(['AccountClaimed', 'UserSignedIn'])
    const [claim, signIn] = (await world.events()).slice(length)
    expect(claim?.data).to.deep.equal({ password_version: 2 })
    expect([claim?.at, claim?.request_id]).to.deep.equal([signIn?.at, signIn?.request_id])

    expect(await isAlive(owner.token)).to.equal(true)
    expect(await isAlive(thief.token), 'the session of the other person').to.equal(false)
    expect(await userOf()).to.include({ passwordRecord: '', passwordScheme: '', emailVerified: true })
    await fail(service.signIn(CONTEXT, world.caller, world.ada))
    const password = { newPassword: 'evil', newPasswordCheck: 'evil' }
    await fail(service.completeRecovery(CONTEXT, { token: recoveryToken, ...password }))
    await fail(service.completeEmailConfirmation(CONTEXT, { token: change.token }))

    const again = await world.events()
    await succeed(byEmail({ emailVerified: true }))
    expect(await typesSince(again.length), 'it is claimed once').to.deep.equal(['UserSignedIn'])
  })

  it('claims an account whose second factor is due, and waits for it', async () => {
    const { recoveryCodes } = await enrolUser(world.store, world.ada.id)
    const due = (await fail(byEmail({ emailVerified: true }))) as SecondFactorDue
    expect((await world.events()).slice(-2).map(({ type }) => type)).to.deep.equal([
      'AccountClaimed',
      'SecondFactorRequested',
    ])
    const request = { token: due.token, recoveryCode: recoveryCodes[0] }
    const completed = await succeed(world.service.completeSignIn(CONTEXT, google, request))
    expect(await isAlive(completed.token)).to.equal(true)
  })

  const reasons = async () =>
    (await world.settledEvents()).flatMap(({ type, data, subject }) =>
      type === 'SignInRefused' ? [[(data as { reason: SignInRefusal }).reason, subject.kind]] : [],
    )

  it('notes each refusal', async () => {
    await fail(vouch({ userId: undefined }))
    await fail(vouch({ method: 'x' }))
    await fail(vouch({ label: '\n' }))
    await fail(vouch({ userId: 'nobody' }))
    await fail(byEmail({ email: 'nobody@example.com' }))
    await fail(byEmail())
    await fail(vouch({}, await callerWith('users:vouch', true)))
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    await fail(vouch())
    await succeed(world.service.removeUser(CONTEXT, world.ada.email))
    await fail(vouch())
    expect(await reasons()).to.deep.equal([
      ['missing_field', 'service'],
      ['missing_field', 'user'],
      ['invalid_label', 'user'],
      ['unknown_user', 'service'],
      ['unknown_email', 'service'],
      ['email_not_verified', 'user'],
      ['no_second_factor', 'user'],
      ['user_disabled', 'user'],
      ['unknown_user', 'service'],
    ])
  })

  it('is limited for one user of an application, also while a second factor is due', async () => {
    await enrolUser(world.store, world.ada.id)
    for (let sent = 0; sent < 60; sent += 1)
      expect(await fail(vouch())).to.have.property('_tag', 'SecondFactorDue')
    expect(await fail(vouch())).to.deep.equal({
      _tag: 'Throttled',
      retryAfterSeconds: 3600,
      tooMany: 'vouched_of_user',
    })
    expect(await fail(vouch({ method: 'x' })), 'mistakes come first').to.have.property('_tag', 'Invalid')
    const other = await callerWith('users:vouch')
    expect(await fail(vouch({}, other)), 'another application').to.have.property('_tag', 'SecondFactorDue')
    expect((await reasons()).at(-1)).to.deep.equal(['missing_field', 'user'])
    expect((await reasons()).map(([reason]) => reason)).to.include('too_many_vouched')
    world.clock.passSeconds(3600)
    expect(await fail(vouch())).to.have.property('_tag', 'SecondFactorDue')
  })

  it('is limited for all users of an application together', async () => {
    await start({ THROTTLE_VOUCHED: '2' })
    const bob = await succeed(
      world.service.registerUser(CONTEXT, { email: 'bob@example.com', password: 'p' }, OPERATOR),
    )
    await succeed(vouch())
    await fail(vouch({ userId: 'nobody' }))
    await succeed(vouch({ userId: bob.id }))
    expect(await fail(vouch())).to.have.property('tooMany', 'vouched')
    expect(await fail(vouch({ userId: bob.id }))).to.have.property('tooMany', 'vouched')
    await succeed(vouch({}, await callerWith('users:vouch')))
  })

  it('is also limited like every sign-in', async () => {
    await start({ THROTTLE_SIGN_INS: '1' })
    await succeed(vouch())
    expect(await fail(vouch())).to.have.property('tooMany', 'sign_ins')
    expect(await reasons()).to.deep.equal([['too_many_failures', 'user']])
  })

  it('changes nothing if the store refuses', async () => {
    world.store.readOnly = true
    await fail(byEmail({ emailVerified: true }))
    world.store.readOnly = false
    expect(await userOf()).to.include({ emailVerified: false, passwordVersion: 1 })
  })

  it('has no label without one', async () => {
    expect(await sessionOf((await succeed(vouch())).token)).to.deep.include({
      label: none,
      remembered: false,
    })
  })
})

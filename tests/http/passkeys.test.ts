import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { codesOf, factorService, TTL } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import {
  newDesk,
  PASSKEY_SETTINGS,
  PASSKEY_SIGN_IN,
  passkeyDesk,
  permitPasskeys,
  SECOND_STEP,
  SIGN_IN,
  STEP_UP,
} from '../support/passkey-desk.ts'
import { CONTEXT } from '../support/request-context.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'
import { softwareAuthenticator } from '../testkit/passkey-verifier/software-authenticator.ts'

const WITH_PASSWORD = { acr: 'aal2', amr: ['pwd', 'pop', 'user', 'mfa'] }
const ALONE = { acr: 'aal2', amr: ['pop', 'user', 'mfa'] }

onMemory('a passkey', (stores) => {
  const one = factorService(stores, { ...PASSKEY_SETTINGS, SESSION_REMEMBER_TTL: '2592000' })
  const setUp = async () => {
    await permitPasskeys(one.running())
    return { ...(await one.newUser()), desk: await newDesk(one.running()) }
  }
  const data = async (type: Parameters<typeof eventsOf>[1]) =>
    (await eventsOf(one.store(), type)).map((entry) => entry.data)

  it('is enrolled in a session, which goes on while all others end', async () => {
    const { user, token, desk } = await setUp()
    const elsewhere = await one.running().userToken(user)
    one.passSeconds(100)
    const started = await desk.startEnrolment(token)
    expect([started.status, started.body.expires_in]).to.deep.equal([200, 300])
    const credential = await desk.register(started, {
      flags: ['up', 'uv', 'be', 'bs', 'at'],
      transports: ['hybrid'],
    })
    const { status, body } = await desk.completeEnrolment(token, { credential, name: 'phone' })
    const { id, token: next, recovery_codes, ...rest } = body
    expect([status, rest]).to.deep.equal([
      201,
      { kind: 'passkey', name: 'phone', expires_in: TTL - 100, ...WITH_PASSWORD, roles: [] },
    ])
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8/)
    expect(recovery_codes).to.have.lengthOf(10)
    expect(claimsOf(next)).to.deep.include(WITH_PASSWORD)
    expect([await one.status(token), await one.status(next), await one.status(elsewhere)]).to.deep.equal([
      200, 200, 401,
    ])
    const listed = await one.desk().list(next)
    expect(listed.body.factors).to.have.lengthOf(1)
    expect(listed.body.factors[0]).to.deep.include({
      id,
      kind: 'passkey',
      name: 'phone',
      last_used_at: null,
      backed_up: true,
      verifies_user: true,
    })
    const [enrolled] = await data('FactorEnrolled')
    expect(enrolled).to.deep.include({ factor_id: id, kind: 'passkey', counter: 0 })
    await one.expectAgreement()
  })

  it('completes a sign-in as the second factor, also without user verification', async () => {
    const { user, token, desk } = await setUp()
    const { body: enrolled } = await desk.enrol(token)
    const first = await desk.ask(SIGN_IN, { email: user.email, password: user.password })
    expect([first.status, first.body.second_factor.methods]).to.deep.equal([
      422,
      ['passkey', 'recovery_code'],
    ])
    const waiting = first.body.second_factor.token
    const options = await desk.ask(`${SECOND_STEP}/passkey`, { token: waiting })
    expect(options.body.options).to.deep.include({ rpId: 'example.com', userVerification: 'discouraged' })
    const { status, body } = await desk.secondStep(waiting, { flags: ['up'] })
    expect([status, body.acr, body.amr]).to.deep.equal([200, WITH_PASSWORD.acr, WITH_PASSWORD.amr])
    const [used] = await data('FactorUsed')
    expect(used).to.deep.equal({
      factor_id: enrolled.id,
      kind: 'passkey',
      mark: used && (used as { mark: number }).mark,
      counter: 1,
    })
    await one.expectAgreement()
  })

  it('signs its user in alone', async () => {
    const { user, token, desk } = await setUp()
    await desk.enrol(token)
    one.passSeconds(60)
    const options = await desk.ask(PASSKEY_SIGN_IN, { email: 'ignored' })
    expect(options.body.options).to.deep.include({ allowCredentials: [], userVerification: 'required' })
    const { status, body } = await desk.signIn(user.id)
    const { token: next, ...rest } = body
    expect([status, rest]).to.deep.equal([
      200,
      {
        expires_in: TTL,
        session_expires_in: TTL,
        user_id: user.id,
        email_verified: true,
        ...ALONE,
        roles: [],
      },
    ])
    expect(claimsOf(next)).to.deep.include({ ...ALONE, auth_time: one.now() / 1000 })
    const shown = await sessionsAt(one.running()).list(next)
    expect(shown.find(({ current }) => current)).to.deep.include(ALONE)
    await one.expectAgreement()
  })

  it('signs its user in alone, and remembers the user on request', async () => {
    const { user, token, desk } = await setUp()
    await desk.enrol(token)
    for (const [remember, seconds] of [
      [true, 2_592_000],
      ['true', TTL],
    ] as const) {
      one.passSeconds(60)
      const { status, body } = await desk.signIn(user.id, {}, { remember })
      expect([status, body.expires_in, body.session_expires_in]).to.deep.equal([200, TTL, seconds])
    }
    await one.expectAgreement()
  })

  it('signs its user in with a label, and refuses a malformed one before the passkey is judged', async () => {
    const { user, token, desk } = await setUp()
    await desk.enrol(token)
    for (const [label, shown] of [
      ['Firefox on Linux', 'Firefox on Linux'],
      ['', null],
      [7, null],
    ] as const) {
      const { body } = await desk.signIn(user.id, {}, { label })
      const sessions = await sessionsAt(one.running()).list(body.token)
      expect(sessions.find(({ current }) => current)).to.have.property('label', shown)
    }
    const malformed = await desk.signIn(user.id, {}, { label: 'Firefox\non Linux' })
    expect([malformed.status, codesOf(malformed.body)]).to.deep.equal([422, [[3, 'label']]])
    const both = await desk.ask(`${PASSKEY_SIGN_IN}/complete`, { label: 'x'.repeat(101) })
    expect(codesOf(both.body)).to.deep.equal([
      [1, 'credential'],
      [3, 'label'],
    ])
    expect(await data('SignInRefused')).to.deep.equal(Array(2).fill({ reason: 'invalid_label' }))
  })

  it('makes a session fresh again, and a session without a password stays one', async () => {
    const { user, token, desk } = await setUp()
    await desk.enrol(token)
    const { body: alone } = await desk.signIn(user.id)
    one.passSeconds(700)
    expect((await one.desk().start(alone.token)).status).to.equal(401)
    const touched = await desk.stepUp(alone.token, { flags: ['up'] })
    expect([touched.status, codesOf(touched.body)]).to.deep.equal([422, [[5, 'credential']]])
    one.passSeconds(1)
    const { status, body } = await desk.stepUp(alone.token)
    expect([status, body.amr]).to.deep.equal([200, ALONE.amr])
    expect((await one.desk().start(body.token)).status).to.equal(200)
    const byCode = await one.desk().enrol(body.token)
    expect(byCode.answer.body.amr).to.deep.equal(ALONE.amr)
    await one.expectAgreement()
  })

  it('is removed like any factor, and may be enrolled again', async () => {
    const { token, desk } = await setUp()
    const { body: first } = await desk.enrol(token)
    expect((await one.desk().remove(first.token, { factor_id: first.id })).status).to.equal(200)
    const { status, body } = await desk.enrol(token)
    expect([status, body.id]).to.deep.equal([201, first.id])
    await one.expectAgreement()
  })

  it('works in an app on Android, and on a page of another domain, if the application has these origins', async () => {
    const [app, page] = [
      'android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
      'https://shop.test',
    ]
    await permitPasskeys(one.running(), app, page)
    const { user, token } = await one.newUser()
    const device = await softwareAuthenticator()
    const desks = [app, page].map((origin) => passkeyDesk(one.running(), device, origin))
    const client = { androidPackageName: 'example.shop', crossOrigin: undefined }
    expect((await desks[0]?.enrol(token, 'phone', { client }))?.status).to.equal(201)
    expect((await desks[0]?.signIn(user.id, { client }))?.status).to.equal(200)
    expect((await desks[1]?.signIn(user.id))?.status).to.equal(200)
    await permitPasskeys(one.running(), page)
    expect((await desks[0]?.signIn(user.id, { client }))?.status).to.equal(422)
  })

  it('exists at no application without origins, and at no route without a relying party', async () => {
    const { user, token, desk } = await setUp()
    await desk.enrol(token)
    await permitPasskeys(one.running(), 'https://other.example.com')
    const { body: second } = await desk.ask(SIGN_IN, { email: user.email, password: user.password })
    const waiting = second.second_factor.token
    const refused = await desk.secondStep(waiting)
    expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[6, 'credential']]])
    await one.running().service.setPasskeyOrigins(CONTEXT, 'tests', [])()
    const { body: third } = await desk.ask(SIGN_IN, { email: user.email, password: user.password })
    expect(third.second_factor.methods).to.deep.equal(['recovery_code'])
    for (const answer of [
      await desk.ask(PASSKEY_SIGN_IN),
      await desk.ask(`${PASSKEY_SIGN_IN}/complete`, {}),
      await desk.ask(`${SECOND_STEP}/passkey`, { token: waiting }),
      await desk.post(`${STEP_UP}/passkey`, token),
      await desk.startEnrolment(token),
    ])
      expect(answer.status).to.equal(404)
  })
})

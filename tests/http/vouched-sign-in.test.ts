import { expect } from 'chai'
import { FACTOR_SETTINGS, factorDesk } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import {
  type FactorDesk,
  refused,
  SECOND_STEP,
  SIGN_IN,
  STEP_UP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'
import { enrolUser } from '../support/second-factors.ts'
import { claimsOf } from '../support/token-claims.ts'

const VOUCHED = '/api/v1/auth/user/vouched'
const REMOVE = '/api/v1/profile/remove'

onMemory('a sign-in that an application vouches for', (stores) => {
  let desk: FactorDesk & Readonly<{ stop: () => Promise<void> }>
  let google: string
  before(async () => {
    desk = await startFactorDesk(stores, { ...FACTOR_SETTINGS, SESSION_REMEMBER_TTL: '200000' })
    google = await scopedToken(desk.running, 'users:vouch users:sign_in users:register users:confirm_email')
  })
  after(async () => {
    await desk.expectAgreement()
    await desk.stop()
  })

  const vouch = (body: object, token = google) => desk.post(VOUCHED, token, body)
  let users = 0
  const register = async (more: object = {}) => {
    users += 1
    const email = `u${users}@example.com`
    const { status, body } = await desk.post('/api/v1/users', google, {
      email,
      without_password: true,
      email_verified: true,
      ...more,
    })
    expect(status).to.equal(201)
    return { email, id: body.id as string }
  }
  const factors = () => factorDesk(desk.running, () => desk.time.now)

  it('opens a session, as the other sign-ins do', async () => {
    const { id, email } = await register()
    const { status, body } = await vouch({ user_id: id, method: 'fed', label: 'Firefox' })
    expect(status).to.equal(200)
    const { token, ...rest } = body
    expect(rest).to.deep.equal({
      expires_in: 43_200,
      user_id: id,
      email_verified: true,
      acr: 'aal1',
      amr: ['vouched', 'fed'],
      roles: [],
      session_expires_in: 43_200,
    })
    expect(claimsOf(token)).to.deep.include({ amr: ['vouched', 'fed'], auth_time: claimsOf(token).iat })
    const byEmail = await vouch({ email: email.toUpperCase(), method: 'other', remember: true })
    expect(byEmail.body).to.deep.include({ amr: ['vouched'], user_id: id, session_expires_in: 200_000 })
    const ordinary = await vouch({ user_id: id, method: 'sms', remember: 'true' })
    expect(ordinary.body).to.deep.include({ amr: ['vouched', 'sms'], session_expires_in: 43_200 })
  })

  it('answers each mistake with its code and field', async () => {
    const { id } = await register()
    const unproved = await register({ email_verified: false })
    const disabled = await register()
    const manager = await scopedToken(desk.running, 'users:manage')
    await desk.post('/api/v1/users/disable', manager, { user_id: disabled.id })
    for (const [body, ...expected] of [
      [{ method: 'fed' }, [1, 'user_id']],
      [{ user_id: id, email: unproved.email, method: 'fed' }, [1, 'user_id']],
      [{ user_id: 17, email: '', label: '\n', method: 'x' }, [1, 'user_id'], [6, 'label'], [8, 'method']],
      [{}, [1, 'user_id'], [7, 'method']],
      [{ user_id: 'x', method: 'fed' }, [2, 'user_id']],
      [{ email: 'nobody@example.com', method: 'fed' }, [3, 'email']],
      [{ email: 'malformed', label: ' ', method: 'fed' }, [3, 'email'], [6, 'label']],
      [{ user_id: id, label: 'x'.repeat(101), method: 'fed' }, [6, 'label']],
      [{ user_id: id }, [7, 'method']],
      [{ user_id: id, method: ['fed'] }, [7, 'method']],
      [{ user_id: id, method: 'pwd' }, [8, 'method']],
      [{ user_id: disabled.id, method: 'fed' }, [9, 'user_id']],
      [{ email: disabled.email, method: 'x' }, [8, 'method'], [9, 'user_id']],
      [{ email: unproved.email, method: 'fed' }, [10, 'email']],
      [{ email: unproved.email, method: 'fed', email_verified: 'true' }, [10, 'email']],
      [{ email: unproved.email, method: 'fed', email_verified: 1 }, [10, 'email']],
    ] as ReadonlyArray<readonly [object, ...ReadonlyArray<readonly [number, string]>]>) {
      const { status, body: answer } = await vouch(body)
      expect(status, JSON.stringify(body)).to.equal(422)
      const found = answer.errors.map(({ code, param }: { code: number; param: string }) => [code, param])
      expect(found, JSON.stringify(body)).to.deep.equal(expected)
    }
  })

  it('needs a verified e-mail in an application that requires one, also by id', async () => {
    const strict = { name: 'strict', scope: 'users:vouch users:confirm_email', requireVerifiedEmail: true }
    const made = await succeed(desk.running.service.registerApplication(CONTEXT, strict))
    const { token } = await succeed(desk.running.service.issueApplicationToken(CONTEXT, made))
    const unproved = await register({ email_verified: false })
    for (const body of [{ user_id: unproved.id }, { user_id: unproved.id, email_verified: true }]) {
      const refused = await vouch({ ...body, method: 'fed' }, token)
      expect(refused.body.errors.map(({ code }: { code: number }) => code)).to.deep.equal([10])
    }
    const claimed = await vouch({ email: unproved.email, email_verified: true, method: 'fed' }, token)
    expect([claimed.status, claimed.body.email_verified]).to.deep.equal([200, true])
    expect((await vouch({ user_id: unproved.id, method: 'fed' }, token)).status).to.equal(200)
  })

  it('needs its own scope', async () => {
    const every = 'users:sign_in users:register users:recover users:confirm_email users:read users:manage'
    const { status, headers } = await vouch({ method: 'fed' }, await scopedToken(desk.running, every))
    expect(status).to.equal(403)
    expect(headers['www-authenticate']).to.include('scope="users:vouch"')
    const { id } = await register()
    const user = (await vouch({ user_id: id, method: 'fed' })).body.token
    expect((await vouch({ user_id: id, method: 'fed' }, user)).status).to.equal(403)
  })

  it('asks for the second factor first, and goes on as after a password', async () => {
    const { email, id } = desk.running.user
    const body = { user_id: id, method: 'email', label: 'phone' }
    const due = await vouch(body)
    expect(verdict(due)).to.deep.equal(refused(4))
    expect(due.body.second_factor).to.include({ expires_in: 300 })
    expect(due.body).to.not.have.property('token')
    const { token } = due.body.second_factor
    expect(verdict(await desk.post(SECOND_STEP, google, { token, totp: desk.wrongCode() }))).to.deep.equal(
      refused(4),
    )
    const { status, body: completed } = await desk.post(SECOND_STEP, google, { token, totp: desk.code() })
    expect([status, completed.acr, completed.amr]).to.deep.equal([
      200,
      'aal2',
      ['vouched', 'email', 'otp', 'mfa'],
    ])
    expect(verdict(await vouch({ email, method: 'fed' })), 'an e-mail that is not proved').to.deep.equal(
      refused(10),
    )
    desk.passSeconds(60)
    expect(await desk.userToken(), 'a password is no weaker').to.be.a('string')
  })

  it('is refused with code 5 alone in an application that requires a factor which the user lacks', async () => {
    const strict = { name: 'bank', scope: 'users:vouch users:confirm_email', requireAal2: true }
    const made = await succeed(desk.running.service.registerApplication(CONTEXT, strict))
    const { token } = await succeed(desk.running.service.issueApplicationToken(CONTEXT, made))
    const unproved = await register({ without_password: false, password: 'kept', email_verified: false })
    const proved = await register()
    const message =
      'This application requires a second factor, and this account has none. Enrol one in another application, or with the password on the account page. Without a password, recover the account first.'
    for (const named of [{ user_id: proved.id }, { email: unproved.email, email_verified: true }]) {
      const { status, body } = await vouch({ ...named, method: 'fed' }, token)
      expect([status, body]).to.deep.equal([
        422,
        { success: false, code: 422, message, errors: [{ code: 5, message, param: 'second_factor' }] },
      ])
    }
    expect(verdict(await vouch({ user_id: proved.id, method: 'x', label: '\n' }, token))).to.deep.equal(
      refused(6, 8),
    )
    const kept = await desk.ask(SIGN_IN, { email: unproved.email, password: 'kept' })
    expect([kept.status, kept.body.email_verified], 'nothing was claimed').to.deep.equal([200, false])
  })

  it('is remembered through the second step only with JSON true', async () => {
    const { id } = await register()
    const app = await enrolUser(desk.store, id)
    for (const [remember, seconds] of [
      [true, 200_000],
      ['true', 43_200],
    ] as const) {
      desk.passSeconds(60)
      const { body } = await vouch({ user_id: id, method: 'fed', remember })
      const totp = app.codeAt(desk.time.now)
      const completed = await desk.post(SECOND_STEP, google, { token: body.second_factor.token, totp })
      expect([completed.status, completed.body.session_expires_in]).to.deep.equal([200, seconds])
      const { token } = completed.body
      const listed = await desk.running.send({ method: 'GET', path: '/api/v1/profile/sessions', token })
      expect(listed.body.sessions[0]).to.include({ current: true, remembered: remember === true })
    }
  })

  it('claims an account whose factor is due, and the factor stays due', async () => {
    const { email, id } = await register({ password: 'of a stranger', email_verified: false })
    const stranger = { email, password: 'of a stranger' }
    const app = await enrolUser(desk.store, id)
    const claims = async () => (await desk.data('AccountClaimed')).length
    const before = await claims()
    desk.passSeconds(60)

    const due = await vouch({ email, method: 'fed', email_verified: true })
    expect([verdict(due), due.body.token]).to.deep.equal([refused(4), undefined])
    expect(await claims(), 'at once, before the second step').to.equal(before + 1)
    expect(verdict(await desk.ask(SIGN_IN, stranger)), 'the password is gone').to.deep.equal(refused(3))

    const { token } = due.body.second_factor
    expect(verdict(await desk.post(SECOND_STEP, google, { token, recovery_code: 'wrong' }))).to.deep.equal(
      refused(5),
    )
    const totp = app.codeAt(desk.time.now)
    const { status, body } = await desk.post(SECOND_STEP, google, { token, totp })
    expect([status, body.email_verified, body.amr]).to.deep.equal([
      200,
      true,
      ['vouched', 'fed', 'otp', 'mfa'],
    ])
    expect(verdict(await vouch({ email, method: 'fed', email_verified: true }))).to.deep.equal(refused(4))
    expect(await claims(), 'a verified account is not claimed again').to.equal(before + 1)
  })

  it('registers users without a password only with the scope', async () => {
    const body = { email: 'no-scope@example.com', without_password: true }
    const plain = await scopedToken(desk.running, 'users:register')
    expect(verdict(await desk.post('/api/v1/users', plain, body))).to.deep.equal(refused(2))
    for (const without of ['true', 1, {}, null])
      expect(
        verdict(await desk.post('/api/v1/users', google, { ...body, without_password: without })),
      ).to.deep.equal(refused(2))
    const { email } = await register({ password: 'kept' })
    expect(verdict(await desk.ask('/api/v1/auth/user/token', { email, password: 'kept' }))).to.deep.equal({
      status: 200,
    })
  })

  it('is 429 after 60 an hour for one user, and mistakes stay 422', async () => {
    const { id } = await register()
    const body = { user_id: id, method: 'fed' }
    for (let sent = 0; sent < 60; sent += 1) expect((await vouch(body)).status).to.equal(200)
    const limited = await vouch(body)
    expect(verdict(limited)).to.deep.equal({ status: 429, retryAfter: '3600' })
    expect(limited.body.message).to.match(/^Too many sign-ins of this user were vouched for/)
    expect(verdict(await vouch({ ...body, method: 'x' }))).to.deep.equal(refused(8))
    const other = await scopedToken(desk.running, 'users:vouch')
    desk.passSeconds(60)
    expect((await vouch(body, other)).status).to.equal(200)
  })

  it('is no fresh proof at the routes that need one', async () => {
    const { id, email } = await register({ password: 'right' })
    const { token } = (await vouch({ user_id: id, method: 'fed' })).body
    const stale = async (answer: ReturnType<typeof desk.post>, more = '') => {
      const { status, headers } = await answer
      expect([status, headers['www-authenticate']]).to.deep.equal([
        401,
        `Bearer realm="portcullis", error="insufficient_user_authentication", max_age=600${more}`,
      ])
    }
    await stale(factors().start(token))
    await stale(factors().remove(token, {}))
    await stale(factors().renewCodes(token))
    const { body } = await desk.post(STEP_UP, token, { password: 'right' })
    expect(body.amr).to.deep.equal(['pwd'])
    expect((await factors().start(body.token)).status).to.equal(200)
    await stale(factors().start(token))

    const bare = await register()
    const first = (await vouch({ user_id: bare.id, method: 'fed' })).body.token
    await stale(desk.post(REMOVE, first, {}))
    await stale(factors().remove(first, {}))
    const enrolled = await factors().enrol(first)
    expect(enrolled.answer.body).to.deep.include({ acr: 'aal2', amr: ['vouched', 'fed', 'otp', 'mfa'] })
    await stale(factors().start(first), ', acr_values="aal2"')
    expect((await desk.post(REMOVE, enrolled.answer.body.token, {})).status).to.equal(200)
    expect(email).to.not.equal(bare.email)
  })
})

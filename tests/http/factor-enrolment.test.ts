import { expect } from 'chai'
import { totpAt, verifiedUser } from '../support/factor-desk.ts'
import { codesOf, factorService, TTL } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

const AAL2 = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] }
const CODE = /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/

onMemory('an enrolment of an authenticator app', (stores) => {
  const { store, running, now, passSeconds, desk, status, newUser, expectAgreement } = factorService(stores)

  it('brings the secret in a URI, ten recovery codes, and a token of the session with its new assurance', async () => {
    const { user, token } = await newUser()
    const { status: started, body: state, headers } = await desk().start(token)
    expect([started, headers['cache-control']]).to.deep.equal([200, 'no-store'])
    expect(state).to.have.all.keys('enrolment', 'secret', 'uri', 'expires_in')
    expect(state.expires_in).to.equal(600)
    expect(state.secret).to.match(/^[A-Z2-7]{32}$/)
    expect(state.uri).to.equal(
      `otpauth://totp/auth.example.com:${encodeURIComponent(user.email)}?secret=${state.secret}&issuer=auth.example.com`,
    )
    passSeconds(100)
    const { enrolment, secret } = state
    const totp = totpAt(secret, now()).replace(/^.../, '$& ')
    const { status: code, body } = await desk().complete(token, { enrolment, totp })
    expect(code).to.equal(201)
    const { id, token: newer, recovery_codes: codes, ...rest } = body
    expect(rest).to.deep.equal({ kind: 'totp', name: 'Authenticator app', expires_in: TTL - 100, ...AAL2 })
    expect(codes).to.have.length(10)
    for (const one of codes) expect(one).to.match(CODE)
    expect(new Set(codes).size).to.equal(10)
    const [before, after] = [claimsOf(token), claimsOf(newer)]
    expect(after).to.deep.include({ sid: before.sid, sub: user.id, exp: before.exp, ...AAL2 })
    expect(await status(newer)).to.equal(200)
    expect((await desk().list(newer)).body).to.deep.equal({
      factors: [
        {
          id,
          kind: 'totp',
          name: 'Authenticator app',
          created_at: '2026-11-20T12:01:50.000Z',
          last_used_at: null,
        },
      ],
      recovery_codes_left: 10,
    })
    const sessions = await sessionsAt(running()).list(token)
    expect(sessions[0]).to.deep.include({ current: true, ...AAL2 })
    await expectAgreement()
  })

  it('is one of at most 20, listed oldest first; the second one brings no codes', async () => {
    const { token } = await newUser()
    const ids: Array<string> = []
    for (let count = 1; count <= 20; count += 1) {
      const { answer } = await desk().enrol(token, `app ${count}`)
      expect(answer.status).to.equal(201)
      expect(answer.body.recovery_codes === null).to.equal(count > 1)
      ids.push(answer.body.id)
    }
    const { body } = await desk().list(token)
    expect(body.factors.map(({ id }: { id: string }) => id)).to.deep.equal(ids)
    expect(codesOf((await desk().start(token)).body)).to.deep.equal([[2, 'factors']])
    await expectAgreement()
  })

  it('an unverified e-mail cannot enrol (pre-hijacking); recovery keeps the factors of a verified one', async () => {
    const unverified = await verifiedUser(running(), false)
    const refused = await desk().start(await running().userToken(unverified))
    expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[1, 'email']]])
    const { user, token } = await newUser()
    await desk().enrol(token)
    await succeed(
      running().service.setApplication({}, 'tests', { scope: 'users:sign_in users:register users:recover' }),
    )
    const application = await running().applicationToken()
    const post = (path: string, body: object, bearer?: string) =>
      running().send({ method: 'POST', path, body, ...(bearer === undefined ? {} : { token: bearer }) })
    const { body: recovery } = await post('/api/v1/users/recovery', { email: user.email }, application)
    const changed = { token: recovery.token, new_password: 'new', new_password_check: 'new' }
    expect((await post('/api/v1/users/recovery/complete', changed)).status).to.equal(200)
    expect(await status(token)).to.equal(401)
    const kept = await succeed(store().listFactors(user.id))
    expect(kept.map(({ kind, removed }) => [kind, removed])).to.have.deep.members([
      ['totp', false],
      ['recovery_codes', false],
    ])
    await expectAgreement()
  })

  it('enrolment ends other sessions, one-time tokens and pending tokens; the own one lives', async () => {
    const { user, token } = await newUser()
    const other = await running().userToken(user)
    await succeed(
      running().service.setApplication({}, 'tests', { scope: 'users:sign_in users:register users:recover' }),
    )
    const application = await running().applicationToken()
    const { body: recovery } = await running().send({
      method: 'POST',
      path: '/api/v1/users/recovery',
      token: application,
      body: { email: user.email },
    })
    const { answer } = await desk().enrol(token)
    expect(await status(other)).to.equal(401)
    expect([await status(token), await status(answer.body.token)]).to.deep.equal([200, 200])
    const used = await running().send({
      method: 'POST',
      path: '/api/v1/users/recovery/complete',
      body: { token: recovery.token, new_password: 'new', new_password_check: 'new' },
    })
    expect(codesOf(used.body)).to.deep.equal([[4, 'token']])
  })

  it('the secret of another session’s enrolment, or one chosen by the client, is refused', async () => {
    const { user, token } = await newUser()
    const other = await running().userToken(user)
    const stranger = (await newUser()).token
    const { enrolment, secret } = (await desk().start(token)).body
    const totp = totpAt(secret, now())
    const chosen = Buffer.from(`${now() / 1000} AAAA ${secret}`).toString('base64url')
    for (const [bearer, sent] of [
      [other, enrolment],
      [stranger, enrolment],
      [token, chosen],
      [token, secret],
      [token, `${enrolment}A`],
    ])
      expect(codesOf((await desk().complete(bearer, { enrolment: sent, totp })).body)).to.deep.equal([
        [3, 'enrolment'],
      ])
    expect((await desk().complete(token, { enrolment, totp })).status).to.equal(201)
    expect(codesOf((await desk().complete(token, { enrolment, totp })).body), 'a second time').to.deep.equal([
      [3, 'enrolment'],
    ])
  })

  it('reports all problems together, and changes nothing then', async () => {
    const { token } = await newUser()
    const { enrolment, secret } = (await desk().start(token)).body
    const totp = totpAt(secret, now())
    const wrong = totpAt(secret, now(), 9)
    const long = 'é'.repeat(65)
    for (const [body, codes] of [
      [
        {},
        [
          [1, 'enrolment'],
          [2, 'totp'],
        ],
      ],
      [
        { name: long },
        [
          [1, 'enrolment'],
          [2, 'totp'],
          [5, 'name'],
        ],
      ],
      [{ enrolment, totp: wrong }, [[4, 'totp']]],
      [
        { enrolment, totp: wrong, name: 'a\nb' },
        [
          [4, 'totp'],
          [5, 'name'],
        ],
      ],
      [
        { enrolment: 'x', totp, name: ' ' },
        [
          [3, 'enrolment'],
          [5, 'name'],
        ],
      ],
      [{ enrolment, totp, name: long }, [[5, 'name']]],
    ] as const)
      expect(codesOf((await desk().complete(token, body)).body), JSON.stringify(body)).to.deep.equal(codes)
    expect((await desk().list(token)).body).to.deep.equal({ factors: [], recovery_codes_left: null })
    const named = await desk().complete(token, { enrolment, totp, name: '' })
    expect([named.status, named.body.name]).to.deep.equal([201, 'Authenticator app'])
  })

  it('takes a code of the step before and of the next one, within 600 seconds', async () => {
    const { token } = await newUser()
    for (const [steps, code] of [
      [-2, 422],
      [2, 422],
      [-1, 201],
      [1, 201],
    ] as const) {
      const { enrolment, secret } = (await desk().start(token)).body
      const answer = await desk().complete(token, { enrolment, totp: totpAt(secret, now(), steps) })
      expect(answer.status, `${steps}`).to.equal(code)
    }
    const { enrolment, secret } = (await desk().start(token)).body
    passSeconds(601)
    const late = await desk().complete(token, { enrolment, totp: totpAt(secret, now()) })
    expect(codesOf(late.body)).to.deep.equal([[3, 'enrolment']])
  })

  it('uses up its code: a step-up does not accept it again', async () => {
    const { token } = await newUser()
    const { secret } = await desk().enrol(token)
    const stepUp = (totp: string) =>
      running().send({ method: 'POST', path: '/api/v1/profile/step_up', token, body: { totp } })
    expect(codesOf((await stepUp(totpAt(secret, now()))).body)).to.deep.equal([[3, 'totp']])
    passSeconds(30)
    expect((await stepUp(totpAt(secret, now()))).body).to.deep.include(AAL2)
    expect((await desk().list(token)).body.factors[0].last_used_at).to.equal('2026-11-20T12:00:40.000Z')
    await expectAgreement()
  })
})

import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { FACTOR_SETTINGS, FACTORS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

const START = Date.parse('2026-11-20T12:00:10Z')
const TTL = 10_000
const AAL2 = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] }
const CODE = /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/
const MISSING_ID = '0192f1a6-0000-7000-8000-000000000002'

const codesOf = (body: { errors: ReadonlyArray<{ code: number; param: string }> }) =>
  body.errors.map(({ code, param }) => [code, param])

onEveryStore('the second factors of a signed-in user', (stores) => {
  let store: Store
  let running: RunningService
  let now: number
  beforeEach(async () => {
    now = START
    const lasting = await stores.lasting()
    store = lasting.store
    running = await startService(
      {
        ...lasting.environment,
        ...FACTOR_SETTINGS,
        USER_TOKEN_TTL: `${TTL}`,
        PUBLIC_URL: 'https://auth.example.com',
      },
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
  })
  afterEach(() => running.stop())

  const passSeconds = (seconds: number): void => {
    now += seconds * 1000
  }
  const desk = () => factorDesk(running, () => now)
  const status = (token: string) => sessionsAt(running).status(token)
  const newUser = async () => {
    const user = await verifiedUser(running)
    return { user, token: await running.userToken(user) }
  }
  const expectAgreement = async () => {
    const { disagreements } = await succeed(checkLog({ store, clock: () => now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  }

  it('begin with none', async () => {
    const { token } = await newUser()
    const { status: code, body, headers } = await desk().list(token)
    expect([code, headers['cache-control']]).to.deep.equal([200, 'no-store'])
    expect(body).to.deep.equal({ factors: [], recovery_codes_left: null })
    expect((await desk().renewCodes(token)).body).to.deep.include({ code: 422 })
    expect(codesOf((await desk().renewCodes(token)).body)).to.deep.equal([[1, 'factors']])
  })

  it('gain an authenticator app, whose secret is in the URI, and ten recovery codes', async () => {
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
    const totp = totpAt(secret, now).replace(/^.../, '$& ')
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
    const sessions = await sessionsAt(running).list(token)
    expect(sessions[0]).to.deep.include({ current: true, ...AAL2 })
    await expectAgreement()
  })

  it('are at most 20, listed oldest first; the second one brings no codes', async () => {
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
    const unverified = await verifiedUser(running, false)
    const refused = await desk().start(await running.userToken(unverified))
    expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[1, 'email']]])
    const { user, token } = await newUser()
    await desk().enrol(token)
    await succeed(
      running.service.setApplication({}, 'tests', { scope: 'users:sign_in users:register users:recover' }),
    )
    const application = await running.applicationToken()
    const post = (path: string, body: object, bearer?: string) =>
      running.send({ method: 'POST', path, body, ...(bearer === undefined ? {} : { token: bearer }) })
    const { body: recovery } = await post('/api/v1/users/recovery', { email: user.email }, application)
    const changed = { token: recovery.token, new_password: 'new', new_password_check: 'new' }
    expect((await post('/api/v1/users/recovery/complete', changed)).status).to.equal(200)
    expect(await status(token)).to.equal(401)
    const kept = await succeed(store.listFactors(user.id))
    expect(kept.map(({ kind, removed }) => [kind, removed])).to.have.deep.members([
      ['totp', false],
      ['recovery_codes', false],
    ])
    await expectAgreement()
  })

  it('enrolment ends other sessions, one-time tokens and pending tokens; the own one lives', async () => {
    const { user, token } = await newUser()
    const other = await running.userToken(user)
    await succeed(
      running.service.setApplication({}, 'tests', { scope: 'users:sign_in users:register users:recover' }),
    )
    const application = await running.applicationToken()
    const { body: recovery } = await running.send({
      method: 'POST',
      path: '/api/v1/users/recovery',
      token: application,
      body: { email: user.email },
    })
    const { answer } = await desk().enrol(token)
    expect(await status(other)).to.equal(401)
    expect([await status(token), await status(answer.body.token)]).to.deep.equal([200, 200])
    const used = await running.send({
      method: 'POST',
      path: '/api/v1/users/recovery/complete',
      body: { token: recovery.token, new_password: 'new', new_password_check: 'new' },
    })
    expect(codesOf(used.body)).to.deep.equal([[4, 'token']])
  })

  it('the secret of another session’s enrolment, or one chosen by the client, is refused', async () => {
    const { user, token } = await newUser()
    const other = await running.userToken(user)
    const stranger = (await newUser()).token
    const { enrolment, secret } = (await desk().start(token)).body
    const totp = totpAt(secret, now)
    const chosen = Buffer.from(`${START / 1000} AAAA ${secret}`).toString('base64url')
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

  it('report all problems of an enrolment together, and change nothing then', async () => {
    const { token } = await newUser()
    const { enrolment, secret } = (await desk().start(token)).body
    const totp = totpAt(secret, now)
    const wrong = totpAt(secret, now, 9)
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

  it('take a code of the step before and of the next one, within 600 seconds', async () => {
    const { token } = await newUser()
    for (const [steps, code] of [
      [-2, 422],
      [2, 422],
      [-1, 201],
      [1, 201],
    ] as const) {
      const { enrolment, secret } = (await desk().start(token)).body
      const answer = await desk().complete(token, { enrolment, totp: totpAt(secret, now, steps) })
      expect(answer.status, `${steps}`).to.equal(code)
    }
    const { enrolment, secret } = (await desk().start(token)).body
    passSeconds(601)
    const late = await desk().complete(token, { enrolment, totp: totpAt(secret, now) })
    expect(codesOf(late.body)).to.deep.equal([[3, 'enrolment']])
  })

  it('have proved the code of the enrolment, so a step-up does not accept it again', async () => {
    const { token } = await newUser()
    const { secret } = await desk().enrol(token)
    const stepUp = (totp: string) =>
      running.send({ method: 'POST', path: '/api/v1/profile/step_up', token, body: { totp } })
    expect(codesOf((await stepUp(totpAt(secret, now))).body)).to.deep.equal([[3, 'totp']])
    passSeconds(30)
    expect((await stepUp(totpAt(secret, now))).body).to.deep.include(AAL2)
    expect((await desk().list(token)).body.factors[0].last_used_at).to.equal('2026-11-20T12:00:40.000Z')
    await expectAgreement()
  })

  it('get another name, which may have 64 characters, without an end of other sessions', async () => {
    const { user, token } = await newUser()
    const { id } = (await desk().enrol(token)).answer.body
    const name = '🔑'.repeat(64)
    passSeconds(1_000)
    const { status: code, body } = await desk().rename(token, { factor_id: id, name })
    expect([code, body.success, body.code]).to.deep.equal([200, true, 100])
    expect((await desk().list(token)).body.factors[0].name).to.equal(name)
    await desk().rename(token, { factor_id: id, name })
    expect(await eventsOf(store, 'FactorRenamed'), 'the same name is no change').to.have.length(1)
    const [codes] = (await succeed(store.listFactors(user.id))).filter(
      ({ kind }) => kind === 'recovery_codes',
    )
    const stranger = (await newUser()).token
    for (const [bearer, sent, problems] of [
      [
        token,
        {},
        [
          [1, 'factor_id'],
          [2, 'name'],
        ],
      ],
      [
        token,
        { factor_id: MISSING_ID, name: `${name}x` },
        [
          [3, 'factor_id'],
          [4, 'name'],
        ],
      ],
      [token, { factor_id: codes?.id, name: 'codes' }, [[3, 'factor_id']]],
      [stranger, { factor_id: id, name: 'mine' }, [[3, 'factor_id']]],
    ] as const)
      expect(codesOf((await desk().rename(bearer, sent)).body)).to.deep.equal(problems)
    await expectAgreement()
  })

  it('are removed one by one; the last one takes the recovery codes along', async () => {
    const { user, token } = await newUser()
    const [first, second] = [await desk().enrol(token), await desk().enrol(token)].map(
      ({ answer }) => answer.body.id,
    )
    const [codes] = (await succeed(store.listFactors(user.id))).filter(
      ({ kind }) => kind === 'recovery_codes',
    )
    const stranger = (await newUser()).token
    for (const [bearer, sent, problems] of [
      [token, {}, [[1, 'factor_id']]],
      [token, { factor_id: MISSING_ID }, [[2, 'factor_id']]],
      [token, { factor_id: codes?.id }, [[2, 'factor_id']]],
      [stranger, { factor_id: first }, [[2, 'factor_id']]],
    ] as const)
      expect(codesOf((await desk().remove(bearer, sent)).body)).to.deep.equal(problems)
    expect((await desk().remove(token, { factor_id: first })).body).to.deep.include({
      success: true,
      code: 100,
    })
    expect((await desk().list(token)).body).to.deep.include({ recovery_codes_left: 10 })
    expect(codesOf((await desk().remove(token, { factor_id: first })).body)).to.deep.equal([[2, 'factor_id']])
    expect((await desk().remove(token, { factor_id: second })).status).to.equal(200)
    expect((await desk().list(token)).body).to.deep.equal({ factors: [], recovery_codes_left: null })
    const again = (await desk().enrol(token)).answer
    expect([again.status, again.body.recovery_codes?.length]).to.deep.equal([201, 10])
    await expectAgreement()
  })

  it('get new recovery codes: the former codes and other sessions end, and the own token goes on', async () => {
    const { user, token } = await newUser()
    const { answer } = await desk().enrol(token)
    const materialOf = async () =>
      (await succeed(store.listFactors(user.id))).find(({ kind }) => kind === 'recovery_codes')?.material
    const before = await materialOf()
    const { status: code, body } = await desk().renewCodes(token)
    expect([code, Object.keys(body)]).to.deep.equal([200, ['recovery_codes']])
    expect(body.recovery_codes).to.have.length(10)
    expect(body.recovery_codes).not.to.have.any.members(answer.body.recovery_codes)
    expect(await materialOf())
      .to.be.a('string')
      .that.does.not.equal(before)
    expect(await status(token)).to.equal(200)
    await expectAgreement()
  })

  it('a stolen session cannot enrol, remove or see new codes after 600 s', async () => {
    const { token } = await newUser()
    const challenge = 'Bearer realm="portcullis", error="insufficient_user_authentication", max_age=600'
    passSeconds(600)
    const { answer } = await desk().enrol(token)
    expect(answer.status).to.equal(201)
    passSeconds(601)
    for (const refused of [
      await desk().start(token),
      await desk().remove(token, { factor_id: answer.body.id }),
      await desk().renewCodes(token),
    ]) {
      expect(refused.status).to.equal(401)
      expect(refused.headers['www-authenticate']).to.equal(`${challenge}, acr_values="aal2"`)
      expect(refused.body).to.deep.include({ success: false, code: 401 })
    }
    const plain = (await newUser()).token
    passSeconds(601)
    const refused = await desk().start(plain)
    expect([refused.status, refused.headers['www-authenticate']]).to.deep.equal([401, challenge])
    expect((await desk().list(plain)).status).to.equal(200)
    const application = await running.applicationToken()
    expect((await desk().start(application)).status, 'the kind of the token comes first').to.equal(403)
  })

  it('no log line, event, metric or error contains a code, secret, challenge, credential or library message', async () => {
    const { token } = await newUser()
    const { secret, answer } = await desk().enrol(token, 'phone of ada')
    const { body } = await desk().renewCodes(token)
    const said = JSON.stringify(await succeed(store.readEvents({ after: 0, limit: 1_000 })))
    for (const one of [secret, 'phone of ada', ...answer.body.recovery_codes, ...body.recovery_codes])
      expect(said).not.to.include(one)
    const rows = JSON.stringify(await succeed(store.listRows({ table: 'factors', after: '', limit: 10 })))
    expect(rows).not.to.include(secret)
    const [enrolled] = await eventsOf(store, 'FactorEnrolled')
    expect(enrolled?.data).to.deep.include({ factor_id: answer.body.id, kind: 'totp' })
  })
})

describe('SECOND_FACTORS=off', () => {
  it('hides the enrolment, while list, names and removal work', async () => {
    const running = await startService({ ...FACTOR_SETTINGS, SECOND_FACTORS: 'off' })
    const desk = factorDesk(running, Date.now)
    const token = await running.userToken(await verifiedUser(running))
    for (const path of ['/totp', '/totp/complete']) {
      const { status } = await running.send({ method: 'POST', path: `${FACTORS}${path}`, token })
      expect(status, path).to.equal(404)
    }
    expect((await desk.list(token)).status).to.equal(200)
    expect((await desk.rename(token, {})).status).to.equal(422)
    expect((await desk.remove(token, {})).status).to.equal(422)
    expect((await desk.renewCodes(token)).status).to.equal(422)
    await running.stop()
  })
})

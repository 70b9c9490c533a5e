import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { FACTOR_SETTINGS, FACTORS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { codesOf, factorService, TTL } from '../support/factor-service.ts'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { startService } from '../support/running-service.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'

const AAL2 = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] }
const DONE = { success: true, code: 100 }

onMemory('the second factors of a signed-in user', (stores) => {
  const { running, now, passSeconds, desk, newUser, expectAgreement } = factorService(stores)

  const verdict = ({ status, body }: Answer) => [status, ...(status === 422 ? codesOf(body) : [])]

  it('begin with an enrolment: a secret in a URI, ten recovery codes, and a token with its new assurance', async () => {
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
    const { status, body } = await desk().complete(token, { enrolment, totp })
    const { id, token: newer, recovery_codes: codes, ...rest } = body
    expect([status, rest]).to.deep.equal([
      201,
      { kind: 'totp', name: 'Authenticator app', expires_in: TTL - 100, ...AAL2, roles: [] },
    ])
    expect(new Set(codes).size).to.equal(10)
    for (const one of codes) expect(one).to.match(/^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/)
    expect(claimsOf(newer)).to.deep.include({ sid: claimsOf(token).sid, exp: claimsOf(token).exp, ...AAL2 })
    const listed = await desk().list(newer)
    expect([listed.status, listed.headers['cache-control']]).to.deep.equal([200, 'no-store'])
    const times = { created_at: '2026-11-20T12:01:50.000Z', last_used_at: null }
    expect(listed.body).to.deep.equal({
      factors: [{ id, kind: 'totp', name: 'Authenticator app', ...times }],
      recovery_codes_left: 10,
    })
    const [session] = await sessionsAt(running()).list(token)
    expect(session).to.deep.include({ current: true, ...AAL2 })
    expect((await desk().enrol(newer)).answer.body.recovery_codes, 'the second app').to.equal(null)
    await expectAgreement()
  })

  it('are not enrolled with a mistake: each has its code, and all come together', async () => {
    const { user, token } = await newUser()
    const other = await running().userToken(user)
    const { enrolment, secret } = (await desk().start(token)).body
    const [totp, wrong] = [totpAt(secret, now()), totpAt(secret, now(), 9)]
    const ENDED = [3, 'enrolment']
    for (const [bearer, body, ...codes] of [
      [token, {}, [1, 'enrolment'], [2, 'totp']],
      [token, { name: 'é'.repeat(65) }, [1, 'enrolment'], [2, 'totp'], [5, 'name']],
      [token, { enrolment, totp: wrong, name: 'a\nb' }, [4, 'totp'], [5, 'name']],
      [other, { enrolment, totp }, ENDED],
      [
        token,
        { enrolment: Buffer.from(`${now() / 1000} AAAA ${secret}`).toString('base64url'), totp },
        ENDED,
      ],
      [token, { enrolment: secret, totp }, ENDED],
      [token, { enrolment: `${enrolment}A`, totp }, ENDED],
    ] as const)
      expect(verdict(await desk().complete(bearer, body)), JSON.stringify(body)).to.deep.equal([
        422,
        ...codes,
      ])
    expect((await desk().list(token)).body).to.deep.equal({ factors: [], recovery_codes_left: null })
    const named = await desk().complete(token, { enrolment, totp, name: '' })
    expect([named.status, named.body.name]).to.deep.equal([201, 'Authenticator app'])
    const again = await desk().complete(token, { enrolment, totp })
    expect(verdict(again), 'a second time').to.deep.equal([422, ENDED])
  })

  it('get another name, new recovery codes, and are removed', async () => {
    const { token } = await newUser()
    expect(verdict(await desk().renewCodes(token))).to.deep.equal([422, [1, 'factors']])
    const { id: factor_id, recovery_codes } = (await desk().enrol(token)).answer.body
    const stranger = (await newUser()).token
    const { rename, remove } = desk()
    for (const [change, bearer, body, ...codes] of [
      [rename, token, {}, [1, 'factor_id'], [2, 'name']],
      [rename, stranger, { factor_id, name: 'a\nb' }, [3, 'factor_id'], [4, 'name']],
      [remove, token, {}, [1, 'factor_id']],
      [remove, stranger, { factor_id }, [2, 'factor_id']],
    ] as const)
      expect(verdict(await change(bearer, body))).to.deep.equal([422, ...codes])
    const renamed = await rename(token, { factor_id, name: 'phone' })
    expect([renamed.status, renamed.body]).to.deep.equal([200, { ...DONE, message: renamed.body.message }])
    expect((await desk().list(token)).body.factors[0].name).to.equal('phone')
    const { status, body } = await desk().renewCodes(token)
    expect([status, Object.keys(body)]).to.deep.equal([200, ['recovery_codes']])
    expect(body.recovery_codes).to.have.length(10).and.not.have.any.members(recovery_codes)
    const removed = await remove(token, { factor_id })
    expect([removed.status, removed.body]).to.deep.equal([200, { ...DONE, message: removed.body.message }])
    expect((await desk().list(token)).body).to.deep.equal({ factors: [], recovery_codes_left: null })
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
    const application = await running().applicationToken()
    expect((await desk().start(application)).status, 'the kind of the token comes first').to.equal(403)
  })
})

onMemory('what a service says of second factors', (stores) => {
  it('no log line, event, metric or error contains a code, secret, challenge, credential or library message', async () => {
    const { log, lines } = capturedLog()
    const lasting = await stores.lasting()
    const running = await startService(
      { ...lasting.environment, ...FACTOR_SETTINGS },
      ...lasting.modules,
      provide(Dependency.log, () => log),
    )
    const desk = factorDesk(running, Date.now)
    const token = await running.userToken(await verifiedUser(running))
    const { body: started } = await desk.start(token)
    const { enrolment, secret } = started
    const totp = totpAt(secret, Date.now())
    const errors = [
      await desk.complete(token, { enrolment: `${enrolment}x`, totp, name: 'phone of ada' }),
      await desk.complete(token, { enrolment, totp: 'wrong', name: 'phone of ada\n' }),
    ].map(({ body }) => JSON.stringify(body))
    const { body: enrolled } = await desk.complete(token, { enrolment, totp, name: 'phone of ada' })
    const { body: renewed } = await desk.renewCodes(enrolled.token)
    const { body: metrics } = await running.send({ method: 'GET', path: '/metrics' })
    const events = JSON.stringify(await succeed(lasting.store.readEvents({ after: 0, limit: 1_000 })))
    const rows = JSON.stringify(
      await succeed(lasting.store.listRows({ table: 'factors', after: '', limit: 10 })),
    )
    await running.stop()
    const secrets = [secret, enrolment, ...enrolled.recovery_codes, ...renewed.recovery_codes]
    expect(secrets).to.have.length(22)
    for (const one of [...secrets, `"${totp}"`, 'phone of ada'])
      expect(`${lines.join()}${events}${metrics}${errors.join()}`).not.to.include(one)
    for (const one of secrets) expect(rows).not.to.include(one)
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

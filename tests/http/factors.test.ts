import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventsOf } from '../support/events.ts'
import { FACTOR_SETTINGS, FACTORS, factorDesk, totpAt, verifiedUser } from '../support/factor-desk.ts'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { startService } from '../support/running-service.ts'

const MISSING_ID = '0192f1a6-0000-7000-8000-000000000002'

onMemory('the second factors of a signed-in user', (stores) => {
  const { store, running, passSeconds, desk, status, newUser, expectAgreement } = factorService(stores)

  it('begin with none', async () => {
    const { token } = await newUser()
    const { status: code, body, headers } = await desk().list(token)
    expect([code, headers['cache-control']]).to.deep.equal([200, 'no-store'])
    expect(body).to.deep.equal({ factors: [], recovery_codes_left: null })
    expect((await desk().renewCodes(token)).body).to.deep.include({ code: 422 })
    expect(codesOf((await desk().renewCodes(token)).body)).to.deep.equal([[1, 'factors']])
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
    expect(await eventsOf(store(), 'FactorRenamed'), 'the same name is no change').to.have.length(1)
    const [codes] = (await succeed(store().listFactors(user.id))).filter(
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
    const [codes] = (await succeed(store().listFactors(user.id))).filter(
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
      (await succeed(store().listFactors(user.id))).find(({ kind }) => kind === 'recovery_codes')?.material
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
    const { body: renewed } = await desk.renewCodes(token)
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

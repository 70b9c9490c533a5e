import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  type FactorDesk,
  PASSED,
  refused,
  STEP_UP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'

const paused = (retryAfter: number) => ({ status: 429, retryAfter: String(retryAfter) })

onMemory('wrong codes of the second step', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  beforeEach(async () => {
    desk = await startFactorDesk(stores, {
      THROTTLE_ACCOUNT_FAILURES: '5',
      THROTTLE_ADDRESS_FAILURES: '1000',
    })
  })
  afterEach(() => desk.stop())

  const complete = async (proof: object, headers = {}) =>
    verdict(await desk.complete(await desk.pending(), proof, headers))
  const fail = async (times: number) => {
    for (let time = 0; time < times; time += 1)
      expect(await complete({ totp: desk.wrongCode() }), `failure ${time + 1}`).to.deep.equal(refused(4))
  }

  it('six wrong codes over six pending tokens pause the user, not the token', async () => {
    await fail(5)
    expect(await complete({ totp: desk.wrongCode() })).to.deep.equal(paused(30))
    expect(await complete({ totp: desk.code() }), 'nor is the right code examined').to.deep.equal(paused(30))
    expect((await desk.reasons(7)).slice(5)).to.deep.equal(['too_many_failures', 'too_many_failures'])
    desk.passSeconds(29)
    expect(await complete({ totp: desk.code() })).to.deep.equal(paused(1))
    desk.passSeconds(1)
    await fail(1)
    expect(await complete({ totp: desk.code() }), 'the pause doubles').to.deep.equal(paused(60))
    desk.passSeconds(60)
    expect(await complete({ totp: desk.code() })).to.deep.equal(PASSED)
    desk.passSeconds(60)
    await fail(4)
    expect(await complete({ totp: desk.code() }), 'the success deleted the count').to.deep.equal(PASSED)
  })

  it('a used code counts like a wrong one', async () => {
    const totp = desk.code()
    expect(await complete({ totp })).to.deep.equal(PASSED)
    for (let time = 0; time < 5; time += 1) expect(await complete({ totp })).to.deep.equal(refused(4))
    expect(await complete({ totp })).to.deep.equal(paused(30))
  })

  it('wrong passwords do not pause the second step, and wrong codes do not pause sign-in', async () => {
    const token = await desk.pending()
    for (let time = 0; time < 5; time += 1) await desk.signIn('wrong')
    expect((await desk.signIn()).status, 'too many wrong passwords').to.equal(429)
    expect(verdict(await desk.complete(token, { totp: desk.code() }))).to.deep.equal(PASSED)
    desk.passSeconds(3_600)
    await fail(5)
    expect(verdict(await desk.signIn())).to.deep.equal(refused(4))
  })

  it('sign-in and step-up share the count of the user', async () => {
    const session = await desk.userToken()
    desk.passSeconds(60)
    await fail(3)
    for (let time = 0; time < 2; time += 1)
      expect(verdict(await desk.post(STEP_UP, session, { totp: desk.wrongCode() }))).to.deep.equal(refused(3))
    expect(verdict(await desk.post(STEP_UP, session, { totp: desk.code() }))).to.deep.equal(paused(30))
    expect(await complete({ totp: desk.code() })).to.deep.equal(paused(30))
  })

  it('recovery codes work during the pause and clear it', async () => {
    await fail(5)
    expect(await complete({ recovery_code: 'wrong' })).to.deep.equal(refused(5))
    expect(await complete({ totp: desk.code() })).to.deep.equal(paused(30))
    expect(await complete({ recovery_code: desk.ada.recoveryCodes[0] })).to.deep.equal(PASSED)
    expect(await complete({ totp: desk.code() })).to.deep.equal(PASSED)
    desk.passSeconds(60)
    await fail(5)
    for (let time = 0; time < 20; time += 1)
      expect(await complete({ recovery_code: 'wrong' }), 'they do not count').to.deep.equal(refused(5))
  })

  it('removal of the last app clears the pause', async () => {
    const session = await desk.userToken()
    await fail(5)
    expect(verdict(await desk.post(STEP_UP, session, { totp: desk.code() }))).to.deep.equal(paused(30))
    const { body } = await desk.running.send({
      method: 'GET',
      path: '/api/v1/profile/factors',
      token: session,
    })
    const factor_id = body.factors[0].id
    expect((await desk.post('/api/v1/profile/factors/remove', session, { factor_id })).status).to.equal(200)
    expect(verdict(await desk.post(STEP_UP, session, { totp: desk.code() }))).to.deep.equal(refused(3))
  })

  it('recovery of the password ends the pause and keeps the count', async () => {
    await fail(5)
    const { service, user } = desk.running
    const scope = 'users:recover'
    const keys = await succeed(service.registerApplication(CONTEXT, { name: 'desk', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, keys))
    const recover = async () => {
      const { body } = await desk.post('/api/v1/users/recovery', token, { email: user.email })
      const passwords = { new_password: user.password, new_password_check: user.password }
      const recovered = await desk.post('/api/v1/users/recovery/complete', '', {
        token: body.token,
        ...passwords,
      })
      expect(recovered.status).to.equal(200)
    }
    await recover()
    await fail(1)
    expect(await complete({ totp: desk.code() })).to.deep.equal(paused(60))
    await recover()
    expect(verdict(await desk.signIn()), 'the factor is still due').to.deep.equal(refused(4))
    expect(await complete({ totp: desk.code() })).to.deep.equal(PASSED)
  })

  it('after the hundredth failure in a row codes are refused until another factor clears the count', async () => {
    for (let failure = 1; failure <= 100; failure += 1) {
      expect(await complete({ totp: desk.wrongCode() })).to.deep.equal(refused(4))
      desk.passSeconds(86_400)
    }
    desk.passSeconds(365 * 86_400)
    const { status, body, headers } = await desk.complete(await desk.pending(), { totp: desk.code() })
    expect([status, headers['retry-after']]).to.deep.equal([429, '86400'])
    expect(body.message).to.match(/until the user proves another factor or recovers the password/)
    expect(await complete({ recovery_code: desk.ada.recoveryCodes[0] })).to.deep.equal(PASSED)
    expect(await complete({ totp: desk.code() })).to.deep.equal(PASSED)
  }).timeout(120_000)

  it('nothing counts for a user without an app, in whose place strangers could guess', async () => {
    const bob = { email: 'bob@example.com', password: 'correct horse' }
    const { service } = desk.running
    await succeed(service.registerUser(CONTEXT, bob, { kind: 'operator' }))
    const { body } = await desk.ask('/api/v1/auth/user/token', bob)
    for (let time = 0; time < 10; time += 1)
      expect(verdict(await desk.post(STEP_UP, body.token, { totp: '123456' }))).to.deep.equal(refused(3))
  })
})

onMemory('wrong proofs from the network of an end user', (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  before(async () => {
    desk = await startFactorDesk(stores, { THROTTLE_ADDRESS_FAILURES: '3' })
  })
  after(() => desk.stop())

  it('count for the application and the network, also those of recovery codes', async () => {
    const attempt = async (proof: object, address: string) =>
      verdict(await desk.complete(await desk.pending(), proof, { 'x-end-user-address': address }))
    const [recovery_code] = desk.ada.recoveryCodes
    expect(await attempt({ totp: desk.wrongCode() }, '192.0.2.1')).to.deep.equal(refused(4))
    expect(await attempt({ recovery_code: 'wrong' }, '192.0.2.1')).to.deep.equal(refused(5))
    expect(await attempt({ credential: '{}' }, '192.0.2.1')).to.deep.equal(refused(6))
    expect(await attempt({ recovery_code }, '192.0.2.1')).to.deep.equal(paused(30))
    expect((await desk.complete('ost_', {}, { 'x-end-user-address': 'elsewhere' })).status).to.equal(400)
    expect(await attempt({ recovery_code }, '192.0.2.2')).to.deep.equal(PASSED)
  })
})

import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const PASSWORD = 'correct horse'

onMemory('password changes with a wrong old password, at a limit of three in a row', (stores) => {
  let running: ThrottledService
  let session: string
  beforeEach(async () => {
    running = await startThrottled(await stores.fresh())
    session = await running.userToken()
  })
  afterEach(() => running.stop())

  const profileStatus = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status

  it('block further changes in that session, even with the right old password', async () => {
    expect(await running.failToChange(3, session)).to.deep.equal([422, 422, 422])
    for (const old of ['wrong', PASSWORD]) {
      const { status, headers } = await running.change(session, old)
      expect([status, headers['retry-after']]).to.deep.equal([429, '30'])
    }
    running.clock.passSeconds(30)
    expect((await running.signIn(PASSWORD)).status).to.equal(200)
    expect((await running.signIn('battery staple')).status).to.equal(422)
  })

  it('double the wait each time and are reset by a success', async () => {
    await running.failToChange(3, session)
    for (const seconds of [30, 60, 120]) {
      expect((await running.change(session, PASSWORD)).headers['retry-after']).to.equal(String(seconds))
      running.clock.passSeconds(seconds - 1)
      expect(await running.failToChange(1, session)).to.deep.equal([429])
      running.clock.passSeconds(1)
      expect(await running.failToChange(1, session)).to.deep.equal([422])
    }
    running.clock.passSeconds(240)
    expect((await running.change(session, PASSWORD)).status).to.equal(200)
    expect(await running.failToChange(4, session)).to.deep.equal([422, 422, 422, 429])
  })

  it('expire after a day without a failure, and not before', async () => {
    await running.failToChange(2, session)
    running.clock.passSeconds(24 * 3600 - 1)
    expect(await running.failToChange(2, session)).to.deep.equal([422, 429])
    running.clock.passSeconds(30 + 24 * 3600)
    expect(await running.failToChange(4, session)).to.deep.equal([422, 422, 422, 429])
  })

  it('do not block other uses of the session or its end', async () => {
    await running.failToChange(4, session)
    expect(await profileStatus(session)).to.equal(200)
    const out = await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: session })
    expect(out.status).to.equal(200)
  })

  it('block sign-ins of the account, but leave another session its own three', async () => {
    const other = await running.userToken()
    expect(await running.failToChange(4, session)).to.deep.equal([422, 422, 422, 429])
    expect((await running.signIn(PASSWORD)).status).to.equal(429)
    expect(await running.failToChange(2, other)).to.deep.equal([422, 422])
    expect((await running.change(other, PASSWORD)).status).to.equal(200)
  })

  it('count together with failed sign-ins of the account', async () => {
    await running.failToChange(1, session)
    await running.failToSignIn(1)
    await running.failToChange(1, session)
    expect(await running.failToSignIn(1)).to.deep.equal([429])
    expect((await running.signIn(PASSWORD)).headers['retry-after']).to.equal('30')
  })

  it('do not extend the account’s wait', async () => {
    await running.failToSignIn(3)
    await running.failToChange(3, session)
    running.clock.passSeconds(30)
    expect(await running.failToSignIn(2)).to.deep.equal([422, 429])
    expect((await running.signIn(PASSWORD)).headers['retry-after']).to.equal('60')
  })

  it('count together for GET and POST', async () => {
    const body = { old_password: 'wrong', new_password: 'x', new_password_check: 'x' }
    const path = '/api/v1/profile/change_password'
    for (const [method, status] of [
      ['GET', 422],
      ['POST', 422],
      ['GET', 422],
      ['POST', 429],
      ['GET', 429],
    ] as const)
      expect((await running.send({ method, path, token: session, body })).status).to.equal(status)
  })

  it('are checked at most three times for 100 concurrent attempts in one session', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => running.change(session, 'wrong')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 422)).to.have.length(3)
    expect(statuses.filter((status) => status === 429)).to.have.length(97)
  })
})

onMemory('a signed-in owner while an attacker guesses', (stores) => {
  let running: ThrottledService
  let session: string
  before(async () => {
    running = await startThrottled(await stores.fresh())
    session = await running.userToken()
  })
  after(() => running.stop())

  it('can change the password at any time and sign in with the new one at once', async () => {
    let password = PASSWORD
    for (let round = 0; round < 5; round += 1) {
      await running.failToSignIn(3)
      for (let waited = 0; waited < round; waited += 1) {
        running.clock.passSeconds(30 * 2 ** waited)
        await running.failToSignIn(1)
      }
      expect((await running.signIn(password)).status, 'the owner’s sign-in').to.equal(429)
      const next = `password ${round}`
      expect((await running.change(session, password, next)).status).to.equal(200)
      password = next
      expect((await running.signIn(password)).status).to.equal(200)
    }
  })

  it('can change the password during concurrent guesses', async () => {
    const password = 'password 4'
    const guesses = Promise.all(Array.from({ length: 50 }, () => running.signIn('wrong')))
    expect((await running.change(session, password, 'the last one')).status).to.equal(200)
    await guesses
    expect((await running.change(session, 'the last one', 'another')).status).to.equal(200)
  })
})

import { expect } from 'chai'
import type { EventType } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const PATH = '/api/v1/profile/step_up'
const PASSWORD = 'correct horse'
const refusal = (code: number, message: string) => ({
  success: false,
  code: 422,
  message: 'Some fields are missing or wrong; see errors.',
  errors: [{ code, message, param: 'password' }],
})
const MISSING = refusal(1, 'Send exactly one of password, totp, recovery_code and credential.')
const WRONG = refusal(2, 'password is not the current password.')

onMemory('a step-up', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const stepUp = (token: string, body?: unknown) =>
    running.send({ method: 'POST', path: PATH, token, body: body as object })
  const subjects = async (type: EventType) =>
    (await eventsOf(running.service.store, type)).map(({ subject }) => subject.id)
  const unchanged = async (attempt: () => Promise<void>) => {
    const before = await subjects('SessionSteppedUp')
    await attempt()
    expect(await subjects('SessionSteppedUp')).to.deep.equal(before)
    expect((await succeed(running.service.checkLog)).disagreements).to.deep.equal([])
  }

  for (const body of [
    undefined,
    {},
    { password: '' },
    { password: null },
    { password: 7 },
    [],
    { password: PASSWORD, totp: '123456' },
    { totp: '123456', recovery_code: 'abcd', credential: '{}' },
  ])
    it(`finds none or several proofs in ${JSON.stringify(body) ?? 'no body'}`, () =>
      unchanged(async () => {
        const answer = await stepUp(await running.userToken(), body)
        expect([answer.status, answer.body]).to.deep.equal([422, MISSING])
      }))

  it('takes no other password', () =>
    unchanged(async () => {
      const token = await running.userToken()
      for (const password of ['Correct horse', 'correct horse ', 'correct horse\0', running.user.email]) {
        const answer = await stepUp(token, { password })
        expect([answer.status, answer.body]).to.deep.equal([422, WRONG])
      }
    }))

  it('requires a user token', () =>
    unchanged(async () => {
      const answer = await stepUp(await running.applicationToken(), { password: PASSWORD })
      expect(answer.status).to.equal(403)
      expect(
        (await running.send({ method: 'POST', path: PATH, body: { password: PASSWORD } })).status,
      ).to.equal(401)
    }))

  it('does not revive a session that was signed out', () =>
    unchanged(async () => {
      const token = await running.userToken()
      await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
      expect((await stepUp(token, { password: PASSWORD })).status).to.equal(401)
    }))

  it('takes the new password in the session that changed it', async () => {
    const credentials = { email: 'bea@example.com', password: 'first' }
    await succeed(running.service.registerUser(CONTEXT, credentials, { kind: 'operator' }))
    const token = await running.userToken(credentials)
    const body = { old_password: 'first', new_password: 'second', new_password_check: 'second' }
    await running.send({ method: 'POST', path: '/api/v1/profile/change_password', token, body })
    expect((await stepUp(token, { password: 'first' })).body).to.deep.equal(WRONG)
    expect((await stepUp(token, { password: 'second' })).status).to.equal(200)
  })
})

onMemory('step-ups with a wrong password, at a limit of three in a row', (stores) => {
  let running: ThrottledService
  let session: string
  beforeEach(async () => {
    running = await startThrottled(await stores.fresh())
    session = await running.userToken()
  })
  afterEach(() => running.stop())

  const stepUp = (password: string, token = session) =>
    running.send({ method: 'POST', path: PATH, token, body: { password } })
  const fail = (times: number) => statusesOf(times, () => stepUp('wrong'))

  it('block further step-ups and password changes in that session, also with the right password', async () => {
    expect(await fail(3)).to.deep.equal([422, 422, 422])
    const { status, headers } = await stepUp(PASSWORD)
    expect([status, headers['retry-after']]).to.deep.equal([429, '30'])
    expect((await running.change(session, PASSWORD)).status).to.equal(429)
    running.clock.passSeconds(30)
    expect((await stepUp(PASSWORD)).status).to.equal(200)
  })

  it('count together with wrong old passwords', async () => {
    expect(await fail(1)).to.deep.equal([422])
    expect(await running.failToChange(2, session)).to.deep.equal([422, 422])
    expect((await stepUp(PASSWORD)).status).to.equal(429)
  })

  it('are reset by a success', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await fail(2)).to.deep.equal([422, 422])
      expect((await stepUp(PASSWORD)).status).to.equal(200)
    }
  })

  it('count on the account too, but the account’s count does not stop the owner', async () => {
    expect(await fail(3)).to.deep.equal([422, 422, 422])
    expect((await running.signIn(PASSWORD)).status).to.equal(429)
    running.clock.passSeconds(30)
    const other = await running.userToken()
    await running.failToSignIn(4)
    expect((await stepUp(PASSWORD, other)).status).to.equal(200)
  })
})

onMemory('refused step-ups', (stores) => {
  it('are recorded as refusals by the user; a missing password is not', async () => {
    const { environment, modules, store } = await stores.lasting()
    const running = await startThrottled(environment, ...modules)
    const token = await running.userToken()
    const stepUp = (password: string) =>
      running.send({ method: 'POST', path: PATH, token, body: { password } })
    await stepUp('')
    expect(await statusesOf(4, () => stepUp('wrong'))).to.deep.equal([422, 422, 422, 429])
    await running.stop() // writes all refusals
    const refused = await eventsOf(store, 'SignInRefused')
    expect(refused.map(({ data }) => data)).to.have.deep.members([
      { reason: 'wrong_password' },
      { reason: 'wrong_password' },
      { reason: 'wrong_password' },
      { reason: 'too_many_failures' },
    ])
    const user = { kind: 'user', id: running.user.id }
    for (const entry of refused) expect(entry).to.deep.include({ subject: user, actor: user })
  })
})

import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const SIGN_IN = '/api/v1/auth/user/token'
const RENEW = `${SIGN_IN}/renew`
const TTL = 1_000

const refusal = (code: number, message: string) => ({
  success: false,
  code: 422,
  message: 'Some fields are missing or wrong; see errors.',
  errors: [{ code, message, param: 'token' }],
})
const MISSING = refusal(1, 'token is missing or empty.')
const UNUSABLE = refusal(2, 'token has ended, or another application opened its session.')

onMemory(`POST ${RENEW}`, (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    const lifetimes = { USER_TOKEN_TTL: `${TTL}`, SESSION_TTL: '2500' }
    running = await startService({ ...(await stores.fresh()), ...lifetimes })
    token = await running.userToken()
  })
  after(() => running.stop())

  const post = (path: string, caller: string, body: unknown) =>
    running.send({ method: 'POST', path, token: caller, body: body as object })
  const renew = async (of: unknown) => post(RENEW, await running.applicationToken(), { token: of })

  it('returns a new token, which lets the user in', async () => {
    const { status, body, headers } = await renew(token)
    const { token: newer, ...rest } = body
    expect([status, headers['cache-control']]).to.deep.equal([200, 'no-store'])
    expect(rest).to.deep.equal({
      expires_in: TTL,
      session_expires_in: TTL,
      user_id: running.user.id,
      email_verified: false,
      acr: 'aal1',
      amr: ['pwd'],
      roles: [],
    })
    const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: newer })
    expect(profile.status).to.equal(200)
  })

  it('refuses a missing token with code 1', async () => {
    for (const none of [undefined, '', null, 7]) {
      const { status, body } = await renew(none)
      expect([status, body], String(none)).to.deep.equal([422, MISSING])
    }
  })

  it('refuses every token that is not one of a live session of the application, with the same bytes', async () => {
    const ended = await running.userToken()
    await running.send({ method: 'DELETE', path: SIGN_IN, token: ended })
    const { email, password } = running.user
    const others = await post(SIGN_IN, await scopedToken(running, 'users:sign_in'), { email, password })
    for (const one of ['renew me', `${token}x`, await running.applicationToken(), ended, others.body.token]) {
      const { status, body } = await renew(one)
      expect([status, JSON.stringify(body)]).to.deep.equal([422, JSON.stringify(UNUSABLE)])
    }
  })

  it('requires an application token with users:sign_in', async () => {
    const callers = [token, await scopedToken(running, 'users:register'), 'nothing']
    const answers = await Promise.all(callers.map((caller) => post(RENEW, caller, { token })))
    expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 401])
  })
})

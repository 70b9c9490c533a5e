import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import {
  type FactorDesk,
  refused,
  STEP_UP,
  startFactorDesk,
  verdict,
} from '../support/second-factor-service.ts'

onMemory(`POST ${STEP_UP}`, (stores) => {
  let desk: FactorDesk & { stop: () => Promise<void> }
  let session: string
  const eve = { email: 'eve@example.com', password: 'correct horse' }
  before(async () => {
    desk = await startFactorDesk(stores, { THROTTLE_ACCOUNT_FAILURES: '3' })
    session = await desk.userToken()
    await desk.running.send({
      method: 'POST',
      path: '/api/v1/users',
      token: await desk.running.applicationToken(),
      body: eve,
    })
  })
  after(() => desk.stop())

  const stepUp = (token: string, body: unknown) => desk.post(STEP_UP, token, body as object)
  const refusal = (code: number, param: string, message: string) => ({
    success: false,
    code: 422,
    message: 'Some fields are missing or wrong; see errors.',
    errors: [{ code, message, param }],
  })

  it('returns a token of the same session', async () => {
    const token = await desk.running.userToken(eve)
    const { status, body, headers } = await stepUp(token, { password: eve.password })
    const { token: newer, ...rest } = body
    expect([status, headers['cache-control']]).to.deep.equal([200, 'no-store'])
    expect(rest).to.deep.equal({ expires_in: 43_200, acr: 'aal1', amr: ['pwd'], roles: [] })
    const sessions = await desk.running.send({
      method: 'GET',
      path: '/api/v1/profile/sessions',
      token: newer,
    })
    expect([newer === token, sessions.body.sessions.length]).to.deep.equal([false, 1])
  })

  it('finds none or several proofs in any body', async () => {
    const message =
      'Send exactly one of password, totp, recovery_code and credential, or transaction with answer.'
    for (const body of [
      undefined,
      {},
      { password: '', totp: '' },
      { password: null },
      { password: 7 },
      [],
      { password: eve.password, totp: '123456' },
      { totp: '123456', recovery_code: 'abcd', credential: '{}' },
    ]) {
      const { status, body: answer } = await stepUp(session, body)
      expect([status, answer], JSON.stringify(body)).to.deep.equal([422, refusal(1, 'password', message)])
    }
  })

  it('refuses each wrong proof with its own code', async () => {
    for (const [proof, code, param] of [
      [{ totp: desk.wrongCode() }, 3, 'totp'],
      [{ recovery_code: 'wrong' }, 4, 'recovery_code'],
      [{ credential: '{}' }, 5, 'credential'],
    ] as const) {
      const answer = await stepUp(session, proof)
      expect([verdict(answer), answer.body.errors[0].param]).to.deep.equal([refused(code), param])
    }
  })

  it('says that a password is not enough, with the same bytes for the right one and a wrong one', async () => {
    const [right, wrong] = [
      await stepUp(session, { password: desk.running.user.password }),
      await stepUp(session, { password: 'wrong' }),
    ]
    expect(verdict(right)).to.deep.equal(refused(6))
    expect(right.body).to.deep.equal(wrong.body)
  })

  it('takes no other password, and after three of them none for 30 seconds', async () => {
    const token = await desk.running.userToken(eve)
    for (const password of ['Correct horse', 'correct horse ', 'correct horse\0']) {
      const { status, body } = await stepUp(token, { password })
      const message = 'password is not the current password.'
      expect([status, body]).to.deep.equal([422, refusal(2, 'password', message)])
    }
    const { status, headers } = await stepUp(token, { password: eve.password })
    expect([status, headers['retry-after']]).to.deep.equal([429, '30'])
  })

  it('requires a user token of a live session', async () => {
    const ended = await desk.userToken({ recovery_code: desk.ada.recoveryCodes[0] })
    await desk.running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
    for (const [token, status] of [
      [await desk.running.applicationToken(), 403],
      [ended, 401],
    ] as const)
      expect((await stepUp(token, { totp: desk.code() })).status).to.equal(status)
  })
})

import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

const PATH = '/api/v1/auth/user/token'

onMemory('POST /api/v1/auth/user/token', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService({ ...(await stores.fresh()), USER_TOKEN_TTL: '90' })
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const signIn = (body: object, as = token, headers: Record<string, string> = {}) =>
    running.send({ method: 'POST', path: PATH, token: as, body, headers })
  const ada = { email: 'ada@EXAMPLE.com', password: 'correct horse' }

  it('returns the token, its lifetime in seconds, the user’s id, whether the e-mail is verified, and the assurance', async () => {
    const answer = await signIn(ada)
    expect(answer.status).to.equal(200)
    const { token: userToken, ...rest } = answer.body
    expect(rest).to.deep.equal({
      expires_in: 90,
      session_expires_in: 90,
      user_id: running.user.id,
      email_verified: false,
      acr: 'aal1',
      amr: ['pwd'],
      roles: [],
    })
    expect(userToken).to.match(/^v4\.public\.[\w-]+\.[\w-]+$/)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: userToken })
    expect(profile.status).to.equal(200)
  })

  for (const [what, body, errors] of [
    [
      'no field but a wrong label',
      { label: ' ' },
      [
        { code: 1, param: 'email', message: 'email is missing or empty.' },
        { code: 2, param: 'password', message: 'password is missing or empty.' },
        { code: 6, param: 'label', message: 'label is not 1 to 100 printable characters.' },
      ],
    ],
    [
      'a wrong password',
      { ...ada, password: 'correct horse\0' },
      [{ code: 3, param: 'password', message: 'password does not match the e-mail.' }],
    ],
  ] as const) {
    it(`returns 422 for ${what}`, async () => {
      const answer = await signIn(body)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors,
      })
    })
  }

  it('records sign-ins and refusals in the event log under the response’s request id', async () => {
    const { store } = running.service
    const answer = await signIn(ada, token, { 'x-request-id': 'one-sign-in' })
    expect(answer.headers['x-request-id']).to.equal('one-sign-in')
    expect((await eventsOf(store, 'UserSignedIn')).at(-1)).to.include({ request_id: 'one-sign-in' })
    await signIn({ ...ada, password: 'wrong' }, token, { 'x-request-id': 'refused' })
    const noted = await eventually('the refusal', async () =>
      (await eventsOf(store, 'SignInRefused')).find(({ request_id }) => request_id === 'refused'),
    )
    expect(noted).to.deep.include({
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) },
      data: { reason: 'wrong_password' },
    })
  })

  it('refuses an application token without the scope with 403 and names the scope', async () => {
    for (const other of [await scopedToken(running, 'users:register'), await running.userToken()]) {
      const answer = await signIn(ada, other)
      expect(answer.status).to.equal(403)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 403,
        message: 'This operation requires an application token with the scope users:sign_in.',
      })
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="insufficient_scope", scope="users:sign_in"',
      )
    }
  })
})

import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const PATH = '/api/v1/auth/user/token'
const NOW = Date.parse('2026-11-20T12:00:00.900Z')

onMemory('POST /api/v1/auth/user/token', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(
      await stores.fresh(),
      provide(Dependency.clock, () => () => NOW),
    )
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const signIn = (body: object, headers: Record<string, string> = {}) =>
    running.send({ method: 'POST', path: PATH, token, body, headers })

  const ada = { email: 'Ada@Example.com', password: 'correct horse' }

  it('returns the token, its lifetime in seconds, the user’s id, whether the e-mail is verified, and the assurance', async () => {
    const answer = await signIn(ada)
    expect(answer.status).to.equal(200)
    const { token: userToken, ...rest } = answer.body
    expect(rest).to.deep.equal({
      expires_in: 43200,
      user_id: running.user.id,
      email_verified: false,
      acr: 'aal1',
      amr: ['pwd'],
    })
    expect(userToken).to.match(/^v4\.public\.[\w-]+\.[\w-]+$/)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('returns exactly the claims of a user token, and the key id in the footer', async () => {
    const { body } = await signIn(ada)
    const [, , payload = '', footer = ''] = body.token.split('.')
    const signed = Buffer.from(payload, 'base64url')
    const SIGNATURE_BYTES = 64
    const { sid, jti, ...claims } = JSON.parse(signed.subarray(0, -SIGNATURE_BYTES).toString())
    expect(claims).to.deep.equal({
      iss: PUBLIC_URL,
      sub: running.user.id,
      iat: '2026-11-20T12:00:00.000Z',
      exp: '2026-11-21T00:00:00.000Z',
      auth_time: '2026-11-20T12:00:00.000Z',
      acr: 'aal1',
      amr: ['pwd'],
    })
    expect([typeof sid, typeof jti]).to.deep.equal(['string', 'string'])
    expect(Object.keys(JSON.parse(Buffer.from(footer, 'base64url').toString()))).to.deep.equal(['kid'])
  })

  it('returns a token that the profile accepts', async () => {
    const { body } = await signIn(ada)
    const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
    expect(profile.status).to.equal(200)
  })

  it('opens a new session each time', async () => {
    const tokens = [await running.userToken(), await running.userToken()]
    await running.send({ method: 'DELETE', path: PATH, token: tokens[0] ?? '' })
    const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: tokens[1] ?? '' })
    expect(profile.status).to.equal(200)
  })

  it('uses the lifetime from the settings', async () =>
    withService({ ...(await stores.fresh()), USER_TOKEN_TTL: '90' }, async (other) => {
      const { body } = await other.send({
        method: 'POST',
        path: PATH,
        token: await other.applicationToken(),
        body: ada,
      })
      expect(body.expires_in).to.equal(90)
    }))

  for (const email of ['ada@example.com', 'ADA@EXAMPLE.COM', 'aDA@eXAMPLE.cOM']) {
    it(`treats ${email} as Ada@Example.com`, async () => {
      expect((await signIn({ ...ada, email })).status).to.equal(200)
    })
  }

  it('records the sign-in in the event log under the response’s request id', async () => {
    const answer = await signIn(ada, { 'x-request-id': 'one-sign-in' })
    const entries = await succeed(
      running.service.store.readEvents({ after: 0, limit: 100, type: 'UserSignedIn' }),
    )
    const { position, id, data, ...entry } = entries.at(-1) ?? { position: 0, id: '', data: {} }
    expect(answer.headers['x-request-id']).to.equal('one-sign-in')
    expect(entry).to.deep.equal({
      type: 'UserSignedIn',
      version: 2,
      at: '2026-11-20T12:00:00.900Z',
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) },
      request_id: 'one-sign-in',
    })
    expect(data).to.have.all.keys('session_id', 'expires_at', 'ends_at', 'amr')
    expect(data).to.include({ expires_at: '2026-11-21T00:00:00.000Z' })
  })

  it('refuses an application token without the scope with 403 and names the scope', async () => {
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'registrar', scope: 'users:register' }),
    )
    const issued = await running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
    })
    const answer = await running.send({ method: 'POST', path: PATH, token: issued.body.token, body: ada })
    expect(answer.status).to.equal(403)
    expect(answer.body).to.deep.equal({
      success: false,
      code: 403,
      message: 'This operation requires an application token with the scope users:sign_in.',
    })
    expect(answer.headers['www-authenticate']).to.equal(
      'Bearer realm="portcullis", error="insufficient_scope", scope="users:sign_in"',
    )
  })

  it('refuses a user token with 403 and names the scope', async () => {
    const userToken = await running.userToken()
    const answer = await running.send({ method: 'POST', path: PATH, token: userToken, body: ada })
    expect(answer.status).to.equal(403)
    expect(answer.headers['www-authenticate']).to.equal(
      'Bearer realm="portcullis", error="insufficient_scope", scope="users:sign_in"',
    )
  })

  it('returns 401 without a token', async () => {
    const answer = await running.send({ method: 'POST', path: PATH, body: ada })
    expect(answer.status).to.equal(401)
    expect(answer.body).to.deep.equal({
      success: false,
      code: 401,
      message: 'This operation requires a token. Send the header Authorization: Bearer <token>.',
    })
    expect(answer.headers['www-authenticate']).to.equal('Bearer realm="portcullis"')
  })
})

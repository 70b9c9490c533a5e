import { expect } from 'chai'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { Dependency, provide } from '../../adapters/index.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const PATH = '/api/v1/auth/application/token'
const NOW = new Date('2026-11-20T12:00:00.900Z')

onMemory('POST /api/v1/auth/application/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(
      await stores.fresh(),
      provide(Dependency.clock, () => () => NOW.getTime()),
    )
  })
  after(() => running.stop())

  const issue = (headers: Record<string, string> = {}) =>
    running.send({ method: 'POST', path: PATH, body: running.keys, headers })

  const verified = async (token: string) => {
    const { body } = await running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    return jwtVerify(token, createLocalJWKSet(body), {
      algorithms: ['EdDSA'],
      issuer: PUBLIC_URL,
      audience: PUBLIC_URL,
      typ: 'at+jwt',
      currentDate: NOW,
    })
  }

  const applicationId = () => running.keys.public_api_key.slice('pk_'.length)

  it('returns the token and nothing else', async () => {
    const answer = await issue()
    expect(answer.status).to.equal(200)
    expect(Object.keys(answer.body)).to.deep.equal(['token'])
    expect(answer.body.token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('names the algorithm, the type and the published key in the header of the token', async () => {
    const { body } = await issue()
    const jwks = await running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    expect(decodeProtectedHeader(body.token)).to.deep.equal({
      alg: 'EdDSA',
      typ: 'at+jwt',
      kid: jwks.body.keys[0].kid,
    })
  })

  it('signs the claims of RFC 9068 with a published key', async () => {
    const { payload } = await verified((await issue()).body.token)
    const { jti, ...claims } = payload
    expect(claims).to.deep.equal({
      iss: PUBLIC_URL,
      sub: applicationId(),
      client_id: applicationId(),
      aud: PUBLIC_URL,
      iat: Date.parse('2026-11-20T12:00:00Z') / 1000,
      exp: Date.parse('2026-11-20T13:00:00Z') / 1000,
      scope: 'users:sign_in users:register',
    })
    expect(jti).to.be.a('string').with.length.above(0)
  })

  it('gives each token a unique id', async () => {
    const tokens = await Promise.all([issue(), issue()])
    const ids = await Promise.all(tokens.map(async ({ body }) => (await verified(body.token)).payload.jti))
    expect(ids[0]).not.to.equal(ids[1])
  })

  it('records the token in the event log under the response’s request id', async () => {
    const [registered] = await succeed(
      running.service.store.readEvents({ after: 0, limit: 1, type: 'ApplicationRegistered' }),
    )
    const answer = await issue({ 'x-request-id': 'one-token' })
    const { payload } = await verified(answer.body.token)
    const issued = await succeed(
      running.service.store.readEvents({ after: 0, limit: 100, type: 'ApplicationTokenIssued' }),
    )
    const entry = issued.find(({ request_id }) => request_id === 'one-token')
    expect(answer.headers['x-request-id']).to.equal('one-token')
    expect(entry).to.deep.include({
      type: 'ApplicationTokenIssued',
      version: 1,
      at: '2026-11-20T12:00:00.900Z',
      subject: { kind: 'application', id: applicationId() },
      actor: { kind: 'application', id: applicationId() },
      request_id: 'one-token',
      data: {
        token_id: payload.jti,
        key_id: registered?.type === 'ApplicationRegistered' && registered.data.key_id,
        expires_at: '2026-11-20T13:00:00.000Z',
      },
    })
  })

  it('records a generated request id when the client sends none', async () => {
    const answer = await issue()
    const issued = await succeed(
      running.service.store.readEvents({ after: 0, limit: 100, type: 'ApplicationTokenIssued' }),
    )
    expect(issued.at(-1)?.request_id).to.equal(answer.headers['x-request-id'])
  })

  it('issues a token without authentication and ignores an Authorization header', async () => {
    const answer = await issue({ authorization: 'Bearer nonsense' })
    expect(answer.status).to.equal(200)
  })

  it('uses the lifetime, issuer and audience from the settings', async () =>
    withService(
      { ...(await stores.fresh()), APPLICATION_TOKEN_TTL: '60', PUBLIC_URL: 'https://auth.test/base' },
      async (other) => {
        const { body } = await other.send({ method: 'POST', path: `/base${PATH}`, body: other.keys })
        const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
        expect(claims.exp - claims.iat).to.equal(60)
        expect(claims.iss).to.equal('https://auth.test/base')
        expect(claims.aud).to.equal('https://auth.test/base')
      },
    ))

  it('includes the scope of the application', async () => {
    const made = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'n', scope: 'users:register' }),
    )
    const { body } = await running.send({
      method: 'POST',
      path: PATH,
      body: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
    })
    expect((await verified(body.token)).payload.scope).to.equal('users:register')
  })
})

import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

const PATH = '/api/v1/auth/application/token'
const JSON_TYPE = 'Content-Type: application/json'

onMemory('POST /api/v1/auth/application/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const issue = (body: object | string, headers: Record<string, string> = {}) =>
    running.send({
      method: 'POST',
      path: PATH,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  it('returns the token and nothing else', async () => {
    const answer = await issue(running.keys, { authorization: 'Bearer nonsense' }) // ignored: the keys are the proof
    expect(answer.status).to.equal(200)
    expect(Object.keys(answer.body)).to.deep.equal(['token'])
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('signs with a published key', async () => {
    const { token } = (await issue(running.keys)).body
    const { body } = await running.send({ method: 'GET', path: '/.well-known/jwks.json' })
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(body), {
      issuer: PUBLIC_URL,
      audience: PUBLIC_URL,
    })
    expect(protectedHeader).to.deep.equal({ alg: 'EdDSA', typ: 'at+jwt', kid: body.keys[0].kid })
    expect(payload.client_id).to.equal(running.keys.public_api_key.slice('pk_'.length))
    expect(payload.scope).to.equal('users:sign_in users:register')
  })

  it('uses the lifetime, issuer and audience from the settings', async () =>
    withService(
      { ...(await stores.fresh()), APPLICATION_TOKEN_TTL: '60', PUBLIC_URL: 'https://auth.test/base' },
      async (other) => {
        const { body } = await other.send({ method: 'POST', path: `/base${PATH}`, body: other.keys })
        const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
        expect(claims.exp - claims.iat).to.equal(60)
        expect([claims.iss, claims.aud]).to.deep.equal(Array(2).fill('https://auth.test/base'))
      },
    ))

  const another = async () => {
    const { application, publicApiKey, privateApiKey } = await succeed(
      running.service.registerApplication(CONTEXT, { name: 'another', scope: 'users:sign_in' }),
    )
    return { id: application.id, keys: { public_api_key: publicApiKey, private_api_key: privateApiKey } }
  }
  const REFUSED: ReadonlyArray<[string, () => Promise<Partial<RunningService['keys']>>]> = [
    ['an unknown public key', async () => ({ public_api_key: `pk_${randomUUID()}` })],
    [
      'the private key of another application',
      async () => ({ private_api_key: (await another()).keys.private_api_key }),
    ],
    ['malformed keys', async () => ({ public_api_key: ' ', private_api_key: '\0' })],
    ['a field name for a key', async () => ({ public_api_key: '__proto__', private_api_key: 'constructor' })],
    [
      'a revoked application',
      async () => {
        const { id, keys } = await another()
        await succeed(running.service.revokeApplication(CONTEXT, id))
        return keys
      },
    ],
    [
      'a private key that was rotated',
      async () => {
        const { id, keys } = await another()
        await succeed(running.service.rotateApplicationKey(CONTEXT, { id, overlapSeconds: 0 }))
        return keys
      },
    ],
  ]
  for (const [what, changed] of REFUSED) {
    it(`returns the same 401 with the Bearer challenge for ${what}`, async () => {
      const body = JSON.stringify({ ...running.keys, ...(await changed()) })
      const answer = await sendRaw(running.port, requestText('POST', PATH, [JSON_TYPE], body))
      expect(withoutDateAndId(answer)).to.equal(
        [
          'HTTP/1.1 401 Unauthorized',
          'Cache-Control: no-store',
          'X-Content-Type-Options: nosniff',
          'WWW-Authenticate: Bearer realm="portcullis"',
          'Content-Type: application/json; charset=utf-8',
          'Content-Length: 58',
          'Connection: close',
          '',
          '{"success":false,"code":401,"message":"Invalid API keys."}',
        ].join('\r\n'),
      )
    })
  }
})

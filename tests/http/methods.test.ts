import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { PASSKEY_SETTINGS } from '../support/passkey-desk.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Each route, its Allow header, and the status of each method without a token or a body. */
const ROUTES: ReadonlyArray<[string, string, Readonly<Record<(typeof METHODS)[number], number>>]> = [
  [
    '/api/v1/auth/application/token',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 422, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/auth/user/token',
    'POST, DELETE, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 401, OPTIONS: 204 },
  ],
  [
    '/api/v1/users',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile',
    'GET, HEAD, POST, OPTIONS',
    { GET: 401, HEAD: 401, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/change_password',
    'GET, POST, OPTIONS',
    { GET: 401, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/sessions',
    'GET, HEAD, OPTIONS',
    { GET: 401, HEAD: 401, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/sessions/end',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/sessions/end_others',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/step_up',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors',
    'GET, HEAD, OPTIONS',
    { GET: 401, HEAD: 401, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors/totp',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors/totp/complete',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors/rename',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors/remove',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/factors/recovery_codes',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/reset_factors',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/profile/remove',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/search',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/disable',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/enable',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/remove',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/users/end_sessions',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/log/checkpoint',
    'GET, HEAD, OPTIONS',
    { GET: 401, HEAD: 401, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/log/tile/0/000',
    'GET, HEAD, OPTIONS',
    { GET: 401, HEAD: 401, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/.well-known/jwks.json',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/api/v1/password_policy',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/.well-known/paseto-keys.json',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/.well-known/user-jwks.json',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/.well-known/oauth-authorization-server',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/oauth2/token',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 400, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/oauth2/revoke',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/oauth2/introspect',
    'POST, OPTIONS',
    { GET: 405, HEAD: 405, POST: 401, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/healthz',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
  [
    '/readyz',
    'GET, HEAD, OPTIONS',
    { GET: 200, HEAD: 200, POST: 405, PUT: 405, PATCH: 405, DELETE: 405, OPTIONS: 204 },
  ],
]

describe('methods', () => {
  let running: RunningService
  before(async () => {
    running = await startService(PASSKEY_SETTINGS)
  })
  after(() => running.stop())

  for (const [path, allow, statuses] of ROUTES) {
    for (const method of METHODS) {
      it(`${method} ${path} is ${statuses[method]}`, async () => {
        const answer = await running.send({ method, path })
        expect(answer.status).to.equal(statuses[method])
        const says = statuses[method] === 405 || method === 'OPTIONS'
        expect(answer.headers.allow).to.equal(says ? allow : undefined)
        if (statuses[method] === 405 && method !== 'HEAD') {
          expect(answer.body).to.deep.equal({
            success: false,
            code: 405,
            message: `This path does not take ${method}.`,
          })
        }
        if (method === 'HEAD' || method === 'OPTIONS') expect(answer.body).to.equal(undefined)
      })
    }
  }

  for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH']) {
    it(`${method} is 405 on a path that does not take it`, async () => {
      const answer = await running.send({ method, path: '/api/v1/profile' })
      expect(answer.status).to.equal(405)
      expect(answer.headers.allow).to.equal('GET, HEAD, POST, OPTIONS')
    })
  }

  for (const method of METHODS) {
    it(`${method} is 404 without Allow on an unknown path`, async () => {
      const answer = await running.send({ method, path: '/nothing' })
      expect(answer.status).to.equal(404)
      expect(answer.headers.allow).to.equal(undefined)
    })
  }

  it('OPTIONS answers with these headers and no body', async () => {
    const answer = await running.send({ method: 'OPTIONS', path: '/api/v1/profile' })
    expect(lastingHeaders(answer)).to.deep.equal({
      allow: 'GET, HEAD, POST, OPTIONS',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  it('cross-origin requests get no CORS headers', async () => {
    const headers = {
      origin: 'https://elsewhere.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    }
    for (const [path] of ROUTES) {
      for (const method of ['OPTIONS', 'GET', 'POST']) {
        const answer = await running.send({ method, path, headers })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal(
          [],
        )
        expect(answer.headers.vary).to.equal(undefined)
      }
    }
  })

  it('cannot be overridden by a header or a query parameter', async () => {
    const answer = await running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token?_method=DELETE',
      token: await running.userToken(),
      headers: { 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE' },
    })
    expect(answer.status).to.equal(403)
  })
})

import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { PASSKEY_SETTINGS } from '../support/passkey-desk.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The status of each method that a route takes, without a token or a body, in the order of its Allow header. */
const ROUTES: ReadonlyArray<[path: string, taken: Readonly<Record<string, number>>]> = [
  ['/api/v1/auth/application/token', { POST: 422 }],
  ['/api/v1/auth/user/token', { POST: 401, DELETE: 401 }],
  ['/api/v1/users', { POST: 401 }],
  ['/api/v1/profile', { GET: 401, HEAD: 401, POST: 401 }],
  ['/api/v1/profile/change_password', { GET: 401, POST: 401 }],
  ['/api/v1/profile/sessions', { GET: 401, HEAD: 401 }],
  ['/api/v1/profile/sessions/end', { POST: 401 }],
  ['/api/v1/profile/sessions/end_others', { POST: 401 }],
  ['/api/v1/profile/step_up', { POST: 401 }],
  ['/api/v1/profile/factors', { GET: 401, HEAD: 401 }],
  ['/api/v1/profile/factors/totp', { POST: 401 }],
  ['/api/v1/profile/factors/totp/complete', { POST: 401 }],
  ['/api/v1/profile/factors/rename', { POST: 401 }],
  ['/api/v1/profile/factors/remove', { POST: 401 }],
  ['/api/v1/profile/factors/recovery_codes', { POST: 401 }],
  ['/api/v1/users/reset_factors', { POST: 401 }],
  ['/api/v1/profile/attributes', { POST: 401 }],
  ['/api/v1/users/attributes', { POST: 401 }],
  ['/api/v1/users/roles', { POST: 401 }],
  ['/api/v1/profile/remove', { POST: 401 }],
  ['/api/v1/users/search', { POST: 401 }],
  ['/api/v1/users/disable', { POST: 401 }],
  ['/api/v1/users/enable', { POST: 401 }],
  ['/api/v1/users/remove', { POST: 401 }],
  ['/api/v1/users/end_sessions', { POST: 401 }],
  ['/api/v1/log/checkpoint', { GET: 401, HEAD: 401 }],
  ['/api/v1/log/tile/0/000', { GET: 401, HEAD: 401 }],
  ['/.well-known/jwks.json', { GET: 200, HEAD: 200 }],
  ['/api/v1/password_policy', { GET: 200, HEAD: 200 }],
  ['/.well-known/paseto-keys.json', { GET: 200, HEAD: 200 }],
  ['/.well-known/user-jwks.json', { GET: 200, HEAD: 200 }],
  ['/.well-known/openid-jwks.json', { GET: 200, HEAD: 200 }],
  ['/.well-known/oauth-authorization-server', { GET: 200, HEAD: 200 }],
  ['/oauth2/token', { POST: 400 }],
  ['/oauth2/revoke', { POST: 401 }],
  ['/oauth2/introspect', { POST: 401 }],
  ['/healthz', { GET: 200, HEAD: 200 }],
  ['/readyz', { GET: 200, HEAD: 200 }],
]

describe('methods', () => {
  let running: RunningService
  before(async () => {
    running = await startService({ ...PASSKEY_SETTINGS, ACCOUNT_PAGES: 'on', OPENID: 'on' })
  })
  after(() => running.stop())

  for (const [path, taken] of ROUTES) {
    const allow = [...Object.keys(taken), 'OPTIONS'].join(', ')
    for (const method of METHODS) {
      const status = method === 'OPTIONS' ? 204 : (taken[method] ?? 405)
      it(`${method} ${path} is ${status}`, async () => {
        const answer = await running.send({ method, path })
        expect(answer.status).to.equal(status)
        expect(answer.headers.allow).to.equal(status === 204 || status === 405 ? allow : undefined)
        if (status === 405 && method !== 'HEAD') {
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
    const withoutProvider = await startService({ ...PASSKEY_SETTINGS, ACCOUNT_PAGES: 'on' })
    const headers = {
      origin: 'https://elsewhere.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    }
    for (const [path] of ROUTES) {
      for (const method of ['OPTIONS', 'GET', 'POST']) {
        const answer = await withoutProvider.send({ method, path, headers })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal(
          [],
        )
        expect(answer.headers.vary).to.equal(undefined)
      }
    }
    await withoutProvider.stop()
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

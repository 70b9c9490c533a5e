import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const NOTHING_HERE = { success: false, code: 404, message: 'Unknown path.' }

describe('paths', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const get = async (target: string) =>
    parseRaw(await sendRaw(running.port, Buffer.from(requestText('GET', target), 'latin1')))

  for (const target of [
    '//',
    '/api/v1',
    '/api/v1/profile/',
    '/api/v1/profile//change_password',
    '/api//v1/profile',
    '/api/v1/../v1/profile',
    '/api/v1/./profile',
    '/api/v1/Profile',
    '/api/v1/%70rofile',
    '/api%2Fv1%2Fprofile',
    '/api/v1/profile%00',
    '/api/v1/profile;x=1',
    '/api\\v1\\profile',
    '/api\\v1\\profile#',
    '/%',
    '/.well-known/jwks.json/',
    '/.well-known/jwksXjson',
    '/oauth2',
    '/healthz#x',
    '/healthz%3F',
    '/constructor',
    '/__proto__',
    '*',
  ]) {
    it(`match exactly: ${target} is 404`, async () => {
      const answer = await get(target)
      expect(answer.status).to.equal(404)
      expect(answer.body).to.deep.equal(NOTHING_HERE)
    })
  }

  it('that do not exist return the same headers as other responses', async () => {
    const answer = await running.send({ method: 'GET', path: '/nothing' })
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(NOTHING_HERE).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  for (const query of ['?', '?x=1', '??', '?x=%zz', '?/nothing', '?x[__proto__]=1']) {
    it(`ignore the query: ${query}`, async () => {
      expect((await get(`/healthz${query}`)).status).to.equal(200)
      expect((await get(`/nothing${query}`)).status).to.equal(404)
    })
  }

  for (const origin of [
    'http://service.test',
    'http://service.test:8080',
    'https://elsewhere.test',
    'HTTP://user@elsewhere.test',
    'http://[::1]:80',
    'http://[::1',
    'http://xn--a',
    'http://elsewhere.test:port',
    'http://%',
  ]) {
    it(`are read from an absolute target: ${origin}`, async () => {
      expect((await get(`${origin}/healthz`)).body).to.deep.equal({ status: 'alive' })
      expect((await get(`${origin}/healthz?x=1`)).body).to.deep.equal({ status: 'alive' })
      expect((await get(`${origin}/nothing`)).body).to.deep.equal(NOTHING_HERE)
    })
  }

  it('are / in an absolute target without a path', async () => {
    const answer = await sendRaw(running.port, requestText('GET', 'http://service.test'))
    expect(answer).to.include('Location: docs\r\n')
  })
})

describe('the prefix of PUBLIC_URL', () => {
  let running: RunningService
  before(async () => {
    running = await startService({ PUBLIC_URL: 'https://auth.test/base/v1.0' })
  })
  after(() => running.stop())

  const PREFIX = '/base/v1.0'

  for (const [method, path, status] of [
    ['POST', '/api/v1/auth/application/token', 422],
    ['POST', '/api/v1/auth/user/token', 401],
    ['DELETE', '/api/v1/auth/user/token', 401],
    ['POST', '/api/v1/users', 401],
    ['GET', '/api/v1/profile', 401],
    ['POST', '/api/v1/profile/change_password', 401],
    ['GET', '/.well-known/jwks.json', 200],
    ['GET', '/api/v1/password_policy', 200],
    ['GET', '/.well-known/paseto-keys.json', 200],
    ['GET', '/.well-known/user-jwks.json', 200],
    ['POST', '/oauth2/introspect', 401],
  ] as const) {
    it(`is required before ${path}`, async () => {
      expect((await running.send({ method, path: `${PREFIX}${path}` })).status).to.equal(status)
      expect((await running.send({ method, path })).status).to.equal(404)
    })
  }

  for (const path of ['/healthz', '/readyz']) {
    it(`is not used before ${path}`, async () => {
      expect((await running.send({ method: 'GET', path })).status).to.equal(200)
      expect((await running.send({ method: 'GET', path: `${PREFIX}${path}` })).status).to.equal(404)
    })
  }

  it('matches exactly, including its dots', async () => {
    for (const path of ['/base/v1X0', '/Base/v1.0', '/base/v1.0/', '/base', '//base/v1.0']) {
      const answer = await running.send({ method: 'GET', path: `${path}/.well-known/jwks.json` })
      expect([path, answer.status]).to.deep.equal([path, 404])
    }
  })
})

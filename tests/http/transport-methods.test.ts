import { METHODS } from 'node:http'
import { expect } from 'chai'
import type { StrictAnswer } from '../support/strict-answers.ts'
import { expectHeaders, expectRefusal, ISSUE, lines, NOT_HTTP, talk } from './transport-talk.ts'

const NOTHING_HERE = 'Unknown path.'

/** The status of each method on each route, without a token or a body. */
const ROUTES: ReadonlyArray<[string, Readonly<Record<string, number>>]> = [
  [ISSUE, { POST: 422 }],
  ['/api/v1/auth/user/token', { POST: 401, DELETE: 401 }],
  ['/api/v1/users', { POST: 401 }],
  ['/api/v1/profile', { GET: 401, HEAD: 401, POST: 401 }],
  ['/api/v1/profile/change_password', { GET: 401, POST: 401 }],
  ['/.well-known/jwks.json', { GET: 200, HEAD: 200 }],
  ['/api/v1/password_policy', { GET: 200, HEAD: 200 }],
  ['/.well-known/paseto-keys.json', { GET: 200, HEAD: 200 }],
  ['/.well-known/user-jwks.json', { GET: 200, HEAD: 200 }],
  ['/.well-known/oauth-authorization-server', { GET: 200, HEAD: 200 }],
  ['/oauth2/token', { POST: 400 }],
  ['/oauth2/introspect', { POST: 401 }],
  ['/oauth2/revoke', { POST: 401 }],
  ['/healthz', { GET: 200, HEAD: 200 }],
  ['/readyz', { GET: 200, HEAD: 200 }],
]

const request = (method: string, path: string, ...headers: ReadonlyArray<string>) =>
  lines(`${method} ${path} HTTP/1.1`, 'Host: service.test', ...headers)

/** Checks that HEAD gets the headers of GET, without a body. */
const expectStatus = (answer: StrictAnswer, method: string, status: number, message: string) => {
  if (method !== 'HEAD') return expectRefusal(answer, status, message)
  expectHeaders(answer)
  expect([answer.status, answer.body]).to.deep.equal([status, ''])
  expect(answer.headers['content-length']).to.match(/^[1-9]\d*$/)
}

describe('a standard method', () => {
  const { answerTo, lastAnswerTo } = talk()

  for (const method of METHODS.filter((one) => one !== 'CONNECT' && one !== 'OPTIONS')) {
    it(`is checked on every route and keeps the connection: ${method}`, async () => {
      for (const [path, taken] of ROUTES) {
        const answer = await answerTo(request(method, path))
        const status = taken[method]
        if (status === undefined) {
          expectStatus(answer, method, 405, `This path does not take ${method}.`)
          expect(answer.headers.allow).to.equal([...Object.keys(taken), 'OPTIONS'].join(', '))
        } else {
          expect([path, answer.status]).to.deep.equal([path, status])
          expectHeaders(answer)
          expect(answer.headers.allow).to.equal(undefined)
        }
      }
      for (const path of ['/nothing', '//', '*']) {
        const answer = await answerTo(request(method, path))
        expectStatus(answer, method, 404, NOTHING_HERE)
        expect(answer.headers.allow).to.equal(undefined)
      }
    })

    it(`has its body skipped on paths that do not take it: ${method}`, async () => {
      for (const path of ['/nothing', '/healthz', ISSUE]) {
        if (ROUTES.some(([route, taken]) => route === path && method in taken)) continue
        const status = path === '/nothing' ? 404 : 405
        const message = status === 404 ? NOTHING_HERE : `This path does not take ${method}.`
        const body = smuggled(path)
        const sized = await answerTo(request(method, path, `Content-Length: ${body.length}`) + body)
        expectStatus(sized, method, status, message)
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        const chunked = await answerTo(request(method, path, 'Transfer-Encoding: chunked') + chunks)
        expectStatus(chunked, method, status, message)
      }
    })
  }

  it('may be OPTIONS: 204 with Allow on a route, and 404 on an unknown path', async () => {
    for (const [path, taken] of ROUTES) {
      const answer = await answerTo(request('OPTIONS', path))
      expect([answer.status, answer.body]).to.deep.equal([204, ''])
      expect(answer.headers.allow).to.equal([...Object.keys(taken), 'OPTIONS'].join(', '))
      expect(answer.headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      expect(answer.headers).not.to.have.any.keys('content-type', 'content-length')
    }
    expectRefusal(await answerTo(request('OPTIONS', '/nothing')), 404, NOTHING_HERE)
  })

  it('may be OPTIONS of the whole service: 204 (RFC 9110 §9.3.7)', async () => {
    const answer = await answerTo(request('OPTIONS', '*'))
    expect([answer.status, answer.body]).to.deep.equal([204, ''])
    expect(answer.headers.allow).to.equal('GET, HEAD, POST, DELETE, OPTIONS')
    expect(answer.headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(answer.headers).not.to.have.any.keys('content-type', 'content-length')
  })

  it('does not echo the request for TRACE', async () => {
    const canary = 'trace-canary'
    const text = request(
      'TRACE',
      `/healthz?${canary}`,
      `Cookie: ${canary}`,
      `Authorization: Bearer ${canary}`,
    )
    expect((await answerTo(text)).text).not.to.include(canary)
  })

  for (const target of [
    'service.test:443',
    'service.test',
    '[::1]:1',
    'a:99999',
    '/healthz',
    '/',
    '*',
    'http://a/',
    '',
  ]) {
    it(`cannot be CONNECT: "${target}" is 405 and ends the connection`, async () => {
      const answer = await lastAnswerTo(request('CONNECT', target))
      expectRefusal(answer, 405, 'This server is not a proxy.')
      expect(answer.headers.allow).to.equal('GET, HEAD, POST, DELETE, OPTIONS')
    })
  }

  it('cannot be CONNECT, even with other errors', async () => {
    for (const text of [
      lines('CONNECT a:1 HTTP/1.1'),
      lines('CONNECT a:1 HTTP/1.0'),
      request('CONNECT', 'a:1', 'Host: b'),
      request('CONNECT', 'a:1', ...Array(200).fill('X: y')),
      request('CONNECT', 'a:1', 'Expect: x'),
      `${request('CONNECT', 'a:1', 'Content-Length: 5')}12345`,
      `${request('CONNECT', 'a:1', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
      `${request('CONNECT', 'a:1')}\x16\x03\x01${'\0'.repeat(100_000)}`,
    ]) {
      expectRefusal(await lastAnswerTo(text), 405, 'This server is not a proxy.')
    }
  })
})

/** A body that is itself a request, which the service must skip. */
const smuggled = (path: string) => request('GET', `${path}/smuggled`)

describe('an unknown method', () => {
  const { lastAnswerTo } = talk()

  for (const method of [
    ...['BREW', 'GETX', 'GE', 'G', 'XGET', 'PRI', 'SMUGGLE', 'LISTEN', 'TRACK', 'DEBUG', 'UPDATE', 'PATCHES'],
    ...['BASELINE-CONTROL', 'VERSION-CONTROL', 'ORDERPATCH', 'MKREDIRECTREF', 'UPDATEREDIRECTREF', 'LABEL'],
    ...['get', 'Get', 'gET', 'post', 'Post', 'head', 'options', 'connect', 'delete'],
    ...['G\0ET', 'GET\0', 'G\tET', 'GET\t', '"GET"', 'GET,POST', 'GET;', 'G-T', '1', '\xff', '\u00e9'],
    'M'.repeat(20_000),
    '__proto__',
    'constructor',
  ]) {
    it(`is 400 and ends the connection: ${JSON.stringify(method.slice(0, 20))}`, async () => {
      for (const path of ['/healthz', '/api/v1/profile', '/nothing']) {
        expectRefusal(await lastAnswerTo(request(method, path)), 400, NOT_HTTP)
      }
    })
  }
})

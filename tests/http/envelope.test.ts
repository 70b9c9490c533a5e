import { expect } from 'chai'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('the request id', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  for (const id of ['a', '0', '-', '.', '_', 'A.b_c-9', 'x'.repeat(64)]) {
    it(`keeps a valid id: ${id}`, async () => {
      const answer = await running.send({ method: 'GET', path: '/healthz', headers: { 'x-request-id': id } })
      expect(answer.headers['x-request-id']).to.equal(id)
    })
  }

  for (const [what, lines] of [
    ['absent', []],
    ['empty', ['X-Request-Id:']],
    ['of 65 characters', [`X-Request-Id: ${'x'.repeat(65)}`]],
    ['of two words', ['X-Request-Id: a b']],
    ['a list', ['X-Request-Id: a, b']],
    ['given twice', ['X-Request-Id: a', 'X-Request-Id: a']],
    ['with a slash', ['X-Request-Id: a/b']],
    ['with a colon', ['X-Request-Id: a:b']],
    ['with a quote', ['X-Request-Id: "a"']],
    ['with a percent sign', ['X-Request-Id: a%0a']],
    ['with a letter beyond ASCII', ['X-Request-Id: \u00e9']],
  ] as const) {
    it(`is generated when X-Request-Id is ${what}`, async () => {
      const text = Buffer.from(requestText('GET', '/healthz', lines), 'latin1')
      expect(parseRaw(await sendRaw(running.port, text)).headers['x-request-id']).to.match(UUID_V7)
    })
  }

  it('is unique for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { headers } = await running.send({ method: 'GET', path: '/healthz' })
        return headers['x-request-id']
      }),
    )
    expect(new Set(ids).size).to.equal(5)
  })
})

describe('every response', () => {
  let running: RunningService
  let tokens: Readonly<{ application: string; user: string }>
  before(async () => {
    running = await startService()
    tokens = { application: await running.applicationToken(), user: await running.userToken() }
  })
  after(() => running.stop())

  const JSON_TYPE = 'Content-Type: application/json'
  const ISSUE = '/api/v1/auth/application/token'
  const ID = ['X-Request-Id: this-request']
  const GRACE = '{"email":"grace@example.com","password":"pw"}'
  const asApplication = () => `Authorization: Bearer ${tokens.application}`

  const ANSWERS: ReadonlyArray<[number, () => string]> = [
    [200, () => requestText('GET', '/healthz', ID)],
    [200, () => requestText('POST', ISSUE, [JSON_TYPE, ...ID], JSON.stringify(running.keys))],
    [201, () => requestText('POST', '/api/v1/users', [JSON_TYPE, asApplication(), ...ID], GRACE)],
    [400, () => requestText('POST', ISSUE, [JSON_TYPE, ...ID], '{')],
    [400, () => requestText('GET', '/healthz', ['Host: again.test', ...ID])],
    [401, () => requestText('GET', '/api/v1/profile', ID)],
    [401, () => requestText('GET', '/api/v1/profile', ['Authorization: Bearer x', ...ID])],
    [
      401,
      () => requestText('POST', ISSUE, [JSON_TYPE, ...ID], '{"public_api_key":"x","private_api_key":"x"}'),
    ],
    [
      403,
      () => requestText('GET', '/api/v1/profile', [`Authorization: Bearer ${tokens.application}`, ...ID]),
    ],
    [
      403,
      () => requestText('POST', '/api/v1/auth/user/token', [`Authorization: Bearer ${tokens.user}`, ...ID]),
    ],
    [403, () => requestText('POST', '/api/v1/users', [`Authorization: Bearer ${tokens.user}`, ...ID])],
    [404, () => requestText('GET', '/api/v1/nothing', ID)],
    [404, () => requestText('GET', '/nothing', ID)],
    [405, () => requestText('PUT', '/api/v1/profile', ID)],
    [405, () => requestText('POST', '/healthz', ID)],
    [413, () => requestText('POST', ISSUE, [JSON_TYPE, ...ID], ' '.repeat(16 * 1024 + 1))],
    [415, () => requestText('POST', ISSUE, ID, '{}')],
    [417, () => requestText('GET', '/healthz', ['Expect: miracles', ...ID])],
    [422, () => requestText('POST', ISSUE, ID)],
    [422, () => requestText('POST', '/api/v1/users', [asApplication(), ...ID])],
    [431, () => requestText('GET', '/healthz', [...ID, ...Array(100).fill('X: y')])],
  ]

  for (const [status, request] of ANSWERS) {
    const isError = status > 299

    it(`with status ${status} has the request id, nosniff and a JSON body`, async () => {
      const answer = parseRaw(await sendRaw(running.port, request()))
      expect(answer.status).to.equal(status)
      expect(answer.headers).to.deep.include({
        'x-request-id': 'this-request',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      })
      expect(answer.headers).not.to.have.any.keys('server', 'x-powered-by', 'etag', 'set-cookie')
      if (isError) {
        expect(answer.body).to.have.all.keys(
          'success',
          'code',
          'message',
          ...(status === 422 ? ['errors'] : []),
        )
        expect(answer.body).to.deep.include({ success: false, code: status })
        expect(answer.body.message).to.be.a('string').with.length.above(0)
      }
    })
  }

  it('with status 422 lists errors with exactly code, message and param', async () => {
    const { body } = await running.send({ method: 'POST', path: ISSUE })
    for (const error of body.errors) expect(error).to.have.all.keys('code', 'message', 'param')
  })

  it('with an error status has the same headers for HEAD as for GET, and no body', async () => {
    const [get, head] = await Promise.all([
      running.send({ method: 'GET', path: '/api/v1/profile' }),
      running.send({ method: 'HEAD', path: '/api/v1/profile' }),
    ])
    expect(head.status).to.equal(401)
    expect(head.body).to.equal(undefined)
    for (const name of ['content-length', 'content-type', 'www-authenticate', 'x-content-type-options'])
      expect(head.headers[name]).to.equal(get.headers[name])
  })
})

import { expect } from 'chai'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOT_HTTP = 'The request is not valid HTTP/1.1.'
const HEADERS_TOO_LARGE = 'The request line and headers are larger than 16384 bytes.'

const lines = (...text: ReadonlyArray<string>): string => `${text.join('\r\n')}\r\n\r\n`

describe('the HTTP parser', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const REFUSED: ReadonlyArray<[string, string, number, string]> = [
    ['a line that is not a request', lines('rubbish'), 400, NOT_HTTP],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, NOT_HTTP],
    ['a method that does not exist', lines('BREW /healthz HTTP/1.1', 'Host: a'), 400, NOT_HTTP],
    ['a version that does not exist', lines('GET /healthz HTTP/4.2', 'Host: a'), 400, NOT_HTTP],
    ['U+0000 in a header', lines('GET /healthz HTTP/1.1', 'Host: a', 'X: \0'), 400, NOT_HTTP],
    [
      'a header of 16 KiB',
      lines('GET /healthz HTTP/1.1', 'Host: a', `X: ${'y'.repeat(16 * 1024)}`),
      431,
      HEADERS_TOO_LARGE,
    ],
    [
      'a target of 16 KiB',
      lines(`GET /healthz?${'y'.repeat(16 * 1024)} HTTP/1.1`, 'Host: a'),
      431,
      HEADERS_TOO_LARGE,
    ],
    [
      'headers that never end',
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(16 * 1024)}`,
      431,
      HEADERS_TOO_LARGE,
    ],
    [
      'an unsupported expectation',
      lines('GET /healthz HTTP/1.1', 'Host: a', 'Expect: 200-ok'),
      417,
      'Expect must be 100-continue.',
    ],
  ]

  for (const [what, text, status, message] of REFUSED) {
    it(`answers ${status} in the envelope and ends the connection for ${what}`, async () => {
      const answer = parseRaw(await sendRaw(running.port, Buffer.from(text, 'latin1')))
      expect(answer.status).to.equal(status)
      expect(answer.body).to.deep.equal({ success: false, code: status, message })
      expect(answer.headers['x-request-id']).to.match(UUID)
      expect(answer.headers).to.deep.include({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(JSON.stringify(answer.body).length),
        connection: 'close',
      })
    })
  }

  it('answers CONNECT with 405 and Allow because the server is not a proxy', async () => {
    const text = lines('CONNECT elsewhere.test:443 HTTP/1.1', 'Host: elsewhere.test:443')
    const answer = parseRaw(await sendRaw(running.port, text))
    expect(answer.status).to.equal(405)
    expect(answer.body).to.deep.equal({ success: false, code: 405, message: 'This server is not a proxy.' })
    expect(answer.headers).to.deep.include({
      allow: 'GET, HEAD, POST, DELETE, OPTIONS',
      connection: 'close',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers['x-request-id']).to.match(UUID)
  })

  it('serves other clients while it refuses', async () => {
    await Promise.all(Array.from({ length: 20 }, () => sendRaw(running.port, lines('rubbish'))))
    expect((await running.send({ method: 'GET', path: '/healthz' })).status).to.equal(200)
  })
})

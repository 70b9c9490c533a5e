import { expect } from 'chai'
import {
  expectHeaders,
  expectRefusal,
  get,
  HEADERS_TOO_LARGE,
  ISSUE,
  lines,
  NO_TOKEN,
  NOT_HTTP,
  TOO_LARGE,
  talk,
} from './transport-talk.ts'

const ONLY_CHUNKED = 'Transfer-Encoding must be chunked, and requires HTTP/1.1.'
const NEITHER = 'The request is neither HTTP/1.1 nor HTTP/1.0.'
const EXTENSIONS_TOO_LARGE = 'The chunk extensions of the body are too large.'
const LAST = '0\r\n\r\n'

const chunk = (data: string, extension = '') => `${data.length.toString(16)}${extension}\r\n${data}\r\n`
const post = (...headers: ReadonlyArray<string>) => lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', ...headers)
const chunked = (text: string) => post('Content-Type: application/json', 'Transfer-Encoding: chunked') + text

/** A proxy in front may find another end of a request. So the request that follows is never answered (RFC 9112 §6.3). */
describe('a request whose end a proxy could read differently', () => {
  const { lastAnswerTo } = talk()

  for (const [what, text, status, message] of [
    ['another coding', post('Transfer-Encoding: gzip, chunked') + LAST, 400, ONLY_CHUNKED],
    [
      'another coding on a line before',
      post('Transfer-Encoding: x', 'Transfer-Encoding: chunked') + LAST,
      400,
      ONLY_CHUNKED,
    ],
    [
      'another coding on a route without a body',
      get('/healthz', 'Transfer-Encoding: x, chunked') + LAST,
      400,
      ONLY_CHUNKED,
    ],
    [
      'chunks in HTTP/1.0',
      lines(`POST ${ISSUE} HTTP/1.0`, 'Transfer-Encoding: chunked') + LAST,
      400,
      ONLY_CHUNKED,
    ],
    ['chunks and a length', post('Transfer-Encoding: chunked', 'Content-Length: 5') + LAST, 400, NOT_HTTP],
    ['a length and chunks', post('Content-Length: 5', 'Transfer-Encoding: chunked') + LAST, 400, NOT_HTTP],
    ['a coding behind a space', post('Transfer-Encoding : chunked') + LAST, 400, NOT_HTTP],
    ['two lengths', `${post('Content-Length: 5', 'Content-Length: 0')}{"":0}`, 400, NOT_HTTP],
    ['a line feed for a line end', get('/healthz', 'X: a\nY: b'), 400, NOT_HTTP],
    ['a header that goes on in the next line', get('/healthz', 'X: a\r\n b'), 400, NOT_HTTP],
    ['a chunk longer than its size', chunked(`1\r\n{}\r\n${LAST}`), 400, NOT_HTTP],
    ['a length for a trailer', chunked(`${chunk('{}')}0\r\nContent-Length: 5\r\n\r\n`), 400, NOT_HTTP],
    ['the version HTTP/0.9', lines('GET /healthz'), 400, NEITHER],
    ['the version HTTP/2.0', lines('GET /healthz HTTP/2.0', 'Host: a'), 400, NEITHER],
    [
      '20 KiB of chunk extension',
      chunked(`1;a=${'b'.repeat(20_000)}\r\n \r\n${LAST}`),
      413,
      EXTENSIONS_TOO_LARGE,
    ],
    [
      '17 KiB of trailers',
      chunked(`${chunk(' ')}0\r\nX: ${'y'.repeat(17 * 1024)}\r\n\r\n`),
      431,
      HEADERS_TOO_LARGE,
    ],
    ['CONNECT', lines('CONNECT a:1 HTTP/1.1', 'Host: a'), 405, 'This server is not a proxy.'],
    ['an unsupported expectation', get('/healthz', 'Expect: 200-ok'), 417, 'Expect must be 100-continue.'],
    ['headers of 16 KiB', get('/healthz', `X: ${'y'.repeat(16 * 1024)}`), 431, HEADERS_TOO_LARGE],
    [
      'headers of 16 KiB that never end',
      `GET /healthz HTTP/1.1\r\nX: ${'y'.repeat(16 * 1024)}`,
      431,
      HEADERS_TOO_LARGE,
    ],
  ] as const) {
    it(`ends the connection with ${status}: ${what}`, async () => {
      expectRefusal(await lastAnswerTo(text), status, message)
    })
  }

  it('is told the methods of this server after CONNECT', async () => {
    const { headers } = await lastAnswerTo(lines('CONNECT a:1 HTTP/1.1', 'Host: a'))
    expect(headers.allow).to.equal('GET, HEAD, POST, DELETE, OPTIONS')
  })

  it('is not answered with 100 when it is refused before its body is read', async () => {
    const expecting = (path: string, length: number) =>
      lines(
        `POST ${path} HTTP/1.1`,
        'Host: a',
        'Expect: 100-continue',
        `Content-Length: ${length}`,
        'Connection: close',
      )
    expectRefusal(await lastAnswerTo(expecting(ISSUE, 100_000)), 413, TOO_LARGE)
    expectRefusal(await lastAnswerTo(expecting('/api/v1/profile', 5)), 401, NO_TOKEN)
  })
})

describe('chunks of a body', () => {
  const { running, answerTo } = talk()

  it('may have extensions and trailers, which are ignored', async () => {
    const keys = JSON.stringify(running().keys)
    const trailers = lines('Host: b', 'Content-Type: text/plain', 'Authorization: x', 'X-Request-Id: trailer')
    const answer = await answerTo(chunked(`${chunk(keys, ';a=b')}0\r\n${trailers}`))
    expect(answer.status).to.equal(200)
    expectHeaders(answer)
  })

  it('are limited by the data received, byte by byte too', async () => {
    const bytewise = (data: string) => [...data].map((character) => chunk(character)).join('')
    const padded = (length: number) => JSON.stringify(running().keys).padEnd(length)
    expect((await answerTo(chunked(bytewise(padded(16 * 1024)) + LAST))).status).to.equal(200)
    expectRefusal(await answerTo(chunked(bytewise(padded(16 * 1024 + 1)) + LAST)), 413, TOO_LARGE)
  })
})

describe('the Host header', () => {
  const { answerTo } = talk()

  const of = (host: string) => answerTo(lines('GET /healthz HTTP/1.1', `Host: ${host}`))

  for (const host of ['', 'a:', '-_~.%20', '[::1]:80']) {
    it(`may be "${host}"`, async () => expect((await of(host)).status).to.equal(200))
  }

  for (const host of ['a b', 'a/b', 'a@b', 'a:x', '::1', '[::1', '[g]', '\xe9']) {
    it(`of ${JSON.stringify(host)} is 400`, async () =>
      expectRefusal(await of(host), 400, 'The host header is invalid.'))
  }
})

describe('a query', () => {
  const { log, answerTo } = talk()

  it('is neither read nor logged', async () => {
    const secret = 'query-canary'
    for (const query of [
      `token=${secret}&password=${secret}`,
      `%zz=${secret}`,
      `?#//${secret}@service.test`,
    ]) {
      expectRefusal(await answerTo(get(`/api/v1/profile?${query}`)), 401, NO_TOKEN)
      expectRefusal(await answerTo(get(`/nothing?${query}`)), 404, 'Unknown path.')
    }
    expect(log.length).to.be.above(5)
    expect(log.filter((line) => line.includes(secret))).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { expectRefusal, get, HEADERS_TOO_LARGE, ISSUE, talk } from './transport-talk.ts'

const PATHS = ['/healthz', '/api/v1/profile', ISSUE, '/nothing']

describe('a flood of headers', () => {
  const { answerTo, lastAnswerTo } = talk()

  /** A request with this number of header lines, including Host. */
  const many = (count: number, line: (index: number) => string, ...last: ReadonlyArray<string>) =>
    get('/healthz', [...Array.from({ length: count - 1 }, (_, index) => line(index)), ...last].join('\r\n'))
  const TOO_MANY = 'The request has more than 100 header lines.'

  for (const [what, line] of [
    ['short lines', () => 'a:'],
    ['different names', (index: number) => `X-${index}: y`],
    ['cookies, which Node joins', () => 'Cookie: a=b'],
    ['repeats that Node drops', () => 'User-Agent: x'],
    ['names with a meaning in JavaScript', () => '__proto__: x'],
  ] as const) {
    it(`may have 100 lines and not 101: ${what}`, async () => {
      expect((await answerTo(many(100, line))).status).to.equal(200)
      for (const count of [101, 102, 128, 129, 1_000]) {
        expectRefusal(await lastAnswerTo(many(count, line)), 431, TOO_MANY)
      }
    })
  }

  it('is refused for the number of lines, regardless of the last lines', async () => {
    for (const [last, body] of [
      ['Content-Length: 5', '12345'],
      ['Transfer-Encoding: chunked', '0\r\n\r\n'],
      ['Transfer-Encoding: gzip, chunked', '0\r\n\r\n'],
      ['Host: b', ''],
      ['Expect: x', ''],
      ['Upgrade: x', ''],
    ] as const) {
      expectRefusal(await lastAnswerTo(many(101, () => 'X: y', last) + body), 431, TOO_MANY)
    }
  })

  it('is refused for the number of lines on every path', async () => {
    for (const path of PATHS) {
      expectRefusal(await lastAnswerTo(get(path, ...Array(100).fill('X: y'))), 431, TOO_MANY)
    }
  })

  for (const [what, text] of [
    ['one of 17 KiB', get('/healthz', `X: ${'y'.repeat(17 * 1024)}`)],
    ['one of a MiB', get('/healthz', `X: ${'y'.repeat(1024 * 1024)}`)],
    ['one with a name of 17 KiB', get('/healthz', `${'X'.repeat(17 * 1024)}: y`)],
    ['one that never ends', `GET /healthz HTTP/1.1\r\nX: ${'y'.repeat(1024 * 1024)}`],
    ['a name that never ends', `GET /healthz HTTP/1.1\r\n${'X'.repeat(1024 * 1024)}`],
    ['17 of 1 KiB', many(18, () => `X: ${'y'.repeat(1024)}`)],
    ['20,000 of two bytes', many(20_000, () => 'a:')],
    ['100,000 of four bytes', many(100_000, () => 'a: b')],
    ['a target of 17 KiB', get(`/${'a'.repeat(17 * 1024)}`)],
    ['a query of 17 KiB', get(`/healthz?${'a'.repeat(17 * 1024)}`)],
    ['a target that never ends', `GET /${'a'.repeat(1024 * 1024)}`],
    ['a target and a header of 9 KiB each', get(`/${'a'.repeat(9 * 1024)}`, `X: ${'y'.repeat(9 * 1024)}`)],
  ] as const) {
    it(`with ${what} is 431 and ends the connection`, async () => {
      expectRefusal(await lastAnswerTo(text), 431, HEADERS_TOO_LARGE)
    })
  }

  it('may have just under 16 KiB in any part', async () => {
    const long = 'a'.repeat(16_000)
    for (const [text, status] of [
      [get('/healthz', `X: ${long}`), 200],
      [get('/healthz', `${long}: y`), 200],
      [get(`/healthz?${long}`), 200],
      [get(`/${long}`), 404],
      [many(17, () => `X: ${'y'.repeat(1_000)}`), 200],
    ] as const) {
      expect((await answerTo(text)).status).to.equal(status)
    }
  })

  it('is counted for each request, not for the connection', async () => {
    const large = get('/healthz', `X: ${'y'.repeat(15_000)}`)
    for (let time = 0; time < 3; time += 1) expect((await answerTo(large)).status).to.equal(200)
  })
})

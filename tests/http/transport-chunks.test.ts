import { expect } from 'chai'
import {
  expectHeaders,
  expectRefusal,
  get,
  HEADERS_TOO_LARGE,
  ISSUE,
  lines,
  NOT_HTTP,
  NOT_JSON,
  TOO_LARGE,
  talk,
} from './transport-talk.ts'

const EXTENSIONS_TOO_LARGE = 'The chunk extensions of the body are too large.'
const LAST = '0\r\n\r\n'
const LIMIT_BYTES = 16 * 1024

const chunk = (data: string, extension = '') => `${data.length.toString(16)}${extension}\r\n${data}\r\n`
const bytewise = (data: string, extension = '') =>
  [...data].map((character) => chunk(character, extension)).join('')

describe('chunks', () => {
  const { running, answerTo, lastAnswerTo } = talk()

  const POST = lines(
    `POST ${ISSUE} HTTP/1.1`,
    'Host: service.test',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  )
  const keys = () => JSON.stringify(running().keys)
  const sizeOf = (body: string) => body.length.toString(16)

  const SOUND: ReadonlyArray<[string, (body: string) => string]> = [
    ['one', (body) => chunk(body) + LAST],
    ['one for each byte', (body) => bytewise(body) + LAST],
    ['a size in capital letters', (body) => `${sizeOf(body).toUpperCase()}\r\n${body}\r\n${LAST}`],
    ['a size behind zeros', (body) => `${'0'.repeat(100)}${sizeOf(body)}\r\n${body}\r\n${LAST}`],
    ['a last one of many zeros', (body) => `${chunk(body)}${'0'.repeat(1000)}\r\n\r\n`],
    ['an extension', (body) => chunk(body, ';a=b') + LAST],
    ['an extension without a value', (body) => chunk(body, ';a') + LAST],
    ['a quoted extension', (body) => chunk(body, ';a="b;\\"c\\""') + LAST],
    ['an extension each', (body) => bytewise(body, `;${'x'.repeat(100)}`) + LAST],
    ['15 KiB of extension', (body) => chunk(body, `;a=${'b'.repeat(15 * 1024)}`) + LAST],
    ['an extension of the last', (body) => `${chunk(body)}0;a=b\r\n\r\n`],
    ['a trailer', (body) => `${chunk(body)}0\r\nX: y\r\n\r\n`],
    ['200 trailers', (body) => `${chunk(body)}0\r\n${'X: y\r\n'.repeat(200)}\r\n`],
  ]

  for (const [what, text] of SOUND) {
    it(`may have ${what}`, async () => {
      const answer = await answerTo(POST + text(keys()))
      expect(answer.status).to.equal(200)
      expectHeaders(answer)
    })
  }

  it('may be empty, which means no body', async () => {
    expect((await answerTo(POST + LAST)).status).to.equal(422)
  })

  it('ignore trailers, and the headers decide', async () => {
    const trailers = [
      'Host: a',
      'Host: b',
      'Content-Type: text/plain',
      'Authorization: x',
      'X-Request-Id: trailer',
    ]
    const answer = await answerTo(`${POST}${chunk(keys())}0\r\n${lines(...trailers)}`)
    expect(answer.status).to.equal(200)
    expectHeaders(answer)
  })

  const BROKEN: ReadonlyArray<[string, (body: string) => string]> = [
    ['no size', (body) => `\r\n${body}\r\n${LAST}`],
    ['a size that is not a number', (body) => `g\r\n${body}\r\n${LAST}`],
    ['a size with 0x', (body) => `0x${sizeOf(body)}\r\n${body}\r\n${LAST}`],
    ['a size with a plus', (body) => `+${sizeOf(body)}\r\n${body}\r\n${LAST}`],
    ['a size with a minus', (body) => `-${sizeOf(body)}\r\n${body}\r\n${LAST}`],
    ['a size with an underscore', (body) => `${sizeOf(body)}_\r\n${body}\r\n${LAST}`],
    ['a space before the size', (body) => ` ${sizeOf(body)}\r\n${body}\r\n${LAST}`],
    ['a space behind the size', (body) => `${sizeOf(body)} \r\n${body}\r\n${LAST}`],
    ['a tab behind the size', (body) => `${sizeOf(body)}\t\r\n${body}\r\n${LAST}`],
    ['U+0000 behind the size', (body) => `${sizeOf(body)}\0\r\n${body}\r\n${LAST}`],
    ['a size of 2^64', (body) => `10000000000000000\r\n${body}\r\n${LAST}`],
    ['a size of 2^64 and the length', (body) => `1${sizeOf(body).padStart(16, '0')}\r\n${body}\r\n${LAST}`],
    ['a size one less', (body) => `${(body.length - 1).toString(16)}\r\n${body}\r\n${LAST}`],
    ['a size one more', (body) => `${(body.length + 1).toString(16)}\r\n${body}\r\n${LAST}`],
    ['line feeds only', (body) => `${sizeOf(body)}\n${body}\n0\n\n`],
    ['a line feed behind the size', (body) => `${sizeOf(body)}\n${body}\r\n${LAST}`],
    ['a line feed behind the data', (body) => `${sizeOf(body)}\r\n${body}\n${LAST}`],
    ['a line feed at the end', (body) => `${chunk(body)}0\r\n\n`],
    ['a line feed behind the last size', (body) => `${chunk(body)}0\n\r\n`],
    ['a carriage return behind the size', (body) => `${sizeOf(body)}\r${body}\r\n${LAST}`],
    ['a space before the semicolon', (body) => chunk(body, ' ;a=b') + LAST],
    ['an extension without a name', (body) => chunk(body, ';') + LAST],
    ['a line feed in an extension', (body) => chunk(body, ';a\nb') + LAST],
    ['a carriage return in an extension', (body) => chunk(body, ';a\rb') + LAST],
    ['U+0000 in an extension', (body) => chunk(body, ';a=\0') + LAST],
    ['a trailer without a colon', (body) => `${chunk(body)}0\r\nnothing\r\n\r\n`],
    ['a trailer with a space before the colon', (body) => `${chunk(body)}0\r\nX : y\r\n\r\n`],
    ['a trailer that goes on in the next line', (body) => `${chunk(body)}0\r\nX: y\r\n z\r\n\r\n`],
    ['Content-Length for a trailer', (body) => `${chunk(body)}0\r\nContent-Length: 5\r\n\r\n`],
    ['Transfer-Encoding for a trailer', (body) => `${chunk(body)}0\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['a trailer that never ends', (body) => `${chunk(body)}0\r\nX: y\r\n`],
  ]

  for (const [what, text] of BROKEN) {
    it(`with ${what} are 400 and end the connection`, async () => {
      expectRefusal(await lastAnswerTo(POST + text(keys())), 400, NOT_HTTP)
    })

    it(`with ${what} are 400 even on a route without fields`, async () => {
      const head = get('/healthz', 'Transfer-Encoding: chunked')
      expectRefusal(await lastAnswerTo(head + text(keys())), 400, NOT_HTTP)
    })
  }

  for (const [what, status, message, text] of [
    ['20 KiB of extension', 413, EXTENSIONS_TOO_LARGE, `1;a=${'b'.repeat(20_000)}\r\n \r\n${LAST}`],
    ['36 KiB of short extensions', 413, EXTENSIONS_TOO_LARGE, `1${';a=b'.repeat(9_000)}\r\n \r\n${LAST}`],
    [
      '20 KiB of extension at the end',
      413,
      EXTENSIONS_TOO_LARGE,
      `${chunk(' ')}0;${'a'.repeat(20_000)}\r\n\r\n`,
    ],
    ['an extension that never ends', 413, EXTENSIONS_TOO_LARGE, `1;${'a'.repeat(200_000)}`],
    ['a trailer of 17 KiB', 431, HEADERS_TOO_LARGE, `${chunk(' ')}0\r\nX: ${'y'.repeat(17 * 1024)}\r\n\r\n`],
    [
      'trailers of 17 KiB',
      431,
      HEADERS_TOO_LARGE,
      `${chunk(' ')}0\r\n${'X: yyyyyyyyy\r\n'.repeat(1_700)}\r\n`,
    ],
    ['a trailer without an end', 431, HEADERS_TOO_LARGE, `${chunk(' ')}0\r\nX: ${'y'.repeat(200_000)}`],
  ] as const) {
    it(`with ${what} are ${status} and end the connection`, async () => {
      expectRefusal(await lastAnswerTo(POST + text), status, message)
      expectRefusal(await lastAnswerTo(get('/healthz', 'Transfer-Encoding: chunked') + text), status, message)
    })
  }

  describe('are limited to 16 KiB of data', () => {
    const padded = (length: number) => keys().padEnd(length)

    for (const [how, split] of [
      ['in one', chunk],
      ['in one for each byte', bytewise],
      ['in one for each byte, with an extension', (data: string) => bytewise(data, ';a=b')],
      ['in two, the second of one byte', (data: string) => chunk(data.slice(0, -1)) + chunk(data.slice(-1))],
    ] as const) {
      it(how, async () => {
        expect((await answerTo(POST + split(padded(LIMIT_BYTES)) + LAST)).status).to.equal(200)
        expectRefusal(await answerTo(POST + split(padded(LIMIT_BYTES + 1)) + LAST), 413, TOO_LARGE)
      })
    }

    it('by the data received, not by the declared chunk size', async () => {
      for (const size of ['ffffffff', '7fffffffffffffff', 'ffffffffffffffff']) {
        const head = POST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
        const answer = await lastAnswerTo(`${head}${size}\r\n${' '.repeat(LIMIT_BYTES + 1)}`)
        expectRefusal(answer, 413, TOO_LARGE)
      }
    })

    it('and invalid JSON at the limit is 400', async () => {
      expectRefusal(await answerTo(POST + bytewise('['.padEnd(LIMIT_BYTES)) + LAST), 400, NOT_JSON)
    })
  })
})

import { expect } from 'chai'
import { nodeTakes } from './node-parser.ts'
import { expectHeaders, expectRefusal, get, ISSUE, lines, NOT_HTTP, talk } from './transport-talk.ts'

const ONLY_CHUNKED = 'Transfer-Encoding must be chunked, and requires HTTP/1.1.'

/** Newer parsers of Node refuse an empty coding. With older ones, the service refuses it. */
const EMPTY = (await nodeTakes('Transfer-Encoding:')) ? ONLY_CHUNKED : NOT_HTTP

/** RFC 9112 §6.1 and §6.3: a body has either chunks or a length, and no other coding. */
describe('Transfer-Encoding', () => {
  const { running, answerTo, lastAnswerTo } = talk()

  const keys = () => JSON.stringify(running().keys)
  const chunks = () => {
    const body = keys()
    return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  }
  const post = (...headers: ReadonlyArray<string>) =>
    lines(`POST ${ISSUE} HTTP/1.1`, 'Host: service.test', 'Content-Type: application/json', ...headers)

  for (const header of [
    'Transfer-Encoding: chunked',
    'transfer-encoding: chunked',
    'TRANSFER-ENCODING: CHUNKED',
    'Transfer-Encoding: Chunked',
    'Transfer-Encoding:chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding:   chunked  ',
  ]) {
    it(`may be ${JSON.stringify(header)}`, async () => {
      const answer = await answerTo(post(header) + chunks())
      expect(answer.status).to.equal(200)
      expectHeaders(answer)
    })
  }

  const REFUSED_BY_NODE: ReadonlyArray<string> = [
    'identity',
    'gzip',
    'deflate, gzip',
    'xchunked',
    'chunkedx',
    'x-chunked',
    'chun ked',
    'chunked, identity',
    'chunked, gzip',
    'chunked, chunked',
    'chunked,',
    'chunked;q=1',
    'chunked;a="b"',
    '"chunked"',
    'chunked\t',
    'chunked\v',
    '\vchunked',
    'chunked\0',
    'chu\0nked',
    '\xa0chunked',
    'chunked\r',
    '\r\n chunked',
    'chunked,\r\n\tidentity',
    'x\r\n chunked',
  ]
  const REFUSED_BY_SERVICE: ReadonlyArray<string> = [
    ', chunked',
    'gzip, chunked',
    'identity, chunked',
    'gzip,chunked',
    'x, chunked',
  ]

  for (const [message, values] of [
    [NOT_HTTP, REFUSED_BY_NODE],
    [ONLY_CHUNKED, REFUSED_BY_SERVICE],
    [EMPTY, ['', ' ', '\t']],
  ] as const) {
    for (const value of values) {
      it(`with ${JSON.stringify(value)} is 400 and ends the connection`, async () => {
        const answer = await lastAnswerTo(post(`Transfer-Encoding: ${value}`) + chunks())
        expectRefusal(answer, 400, message)
      })
    }
  }

  for (const [first, second, message] of [
    ['chunked', 'chunked', NOT_HTTP],
    ['chunked', 'identity', NOT_HTTP],
    ['chunked', 'gzip', NOT_HTTP],
    ['identity', 'identity', NOT_HTTP],
    ['gzip', 'chunked', ONLY_CHUNKED],
    ['identity', 'chunked', ONLY_CHUNKED],
    ['x', 'chunked', ONLY_CHUNKED],
    ['', 'chunked', EMPTY],
    ['chunked', '', EMPTY],
  ] as const) {
    it(`on two lines, "${first}" and "${second}", is 400 and ends the connection`, async () => {
      const headers = [first, second].map((value) => `Transfer-Encoding: ${value}`)
      expectRefusal(await lastAnswerTo(post(...headers) + chunks()), 400, message)
      const apart = [headers[0] ?? '', 'X: y', headers[1]?.toUpperCase() ?? '']
      expectRefusal(await lastAnswerTo(post(...apart) + chunks()), 400, message)
    })
  }

  const LENGTHS: ReadonlyArray<[string, () => number]> = [
    ['of the body', () => keys().length],
    ['of the chunks', () => chunks().length],
    ['of zero', () => 0],
  ]

  for (const [which, length] of LENGTHS) {
    for (const coding of ['chunked', 'CHUNKED', 'identity', 'xchunked', 'gzip', 'gzip, chunked', '']) {
      it(`of "${coding}" beside a length ${which}, in either order, is 400 and ends the connection`, async () => {
        const headers = [`Transfer-Encoding: ${coding}`, `Content-Length: ${length()}`]
        for (const both of [headers, headers.toReversed()]) {
          for (const body of [keys(), chunks()]) {
            const answer = await lastAnswerTo(post(...both) + body)
            const byNode = coding !== '' || both[0] !== headers[0]
            expectRefusal(answer, 400, byNode ? NOT_HTTP : EMPTY)
          }
        }
      })
    }
  }

  for (const [what, header] of [
    ['a space', 'Transfer-Encoding : chunked'],
    ['a tab', 'Transfer-Encoding\t: chunked'],
    ['U+0000', 'Transfer-Encoding\0: chunked'],
    ['a bare line feed before the name', 'X: y\nTransfer-Encoding: chunked'],
    ['a bare carriage return before the name', 'X: y\rTransfer-Encoding: chunked'],
    ['a space before the name', ' Transfer-Encoding: chunked'],
  ] as const) {
    it(`hidden behind ${what} is 400 and ends the connection`, async () => {
      const length = `Content-Length: ${keys().length}`
      for (const headers of [[header], [length, header], [header, length]]) {
        expectRefusal(await lastAnswerTo(post(...headers) + chunks()), 400, NOT_HTTP)
      }
    })
  }

  it('in HTTP/1.0 is 400 and ends the connection, even with keep-alive', async () => {
    for (const headers of [[], ['Connection: keep-alive'], ['Host: service.test']]) {
      const head = lines(`POST ${ISSUE} HTTP/1.0`, 'Transfer-Encoding: chunked', ...headers)
      expectRefusal(await lastAnswerTo(head + chunks()), 400, ONLY_CHUNKED)
    }
  })

  it('is checked on routes that ignore the body, too', async () => {
    for (const path of ['/healthz', '/nothing', '/api/v1/profile']) {
      const text = get(path, 'Transfer-Encoding: gzip, chunked')
      expectRefusal(await lastAnswerTo(`${text}0\r\n\r\n`), 400, ONLY_CHUNKED)
    }
  })

  it('is checked before other errors, so that no request follows', async () => {
    for (const [coding, body, message] of [
      ['gzip, chunked', '0\r\n\r\n', ONLY_CHUNKED],
      ['', '', EMPTY],
    ] as const) {
      const text = get('/healthz', 'Host: again', 'Expect: miracles', `Transfer-Encoding: ${coding}`)
      expectRefusal(await lastAnswerTo(text + body), 400, message)
    }
  })
})

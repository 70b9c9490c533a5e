import { expect } from 'chai'
import { nodeTakes } from './node-parser.ts'
import { expectRefusal, ISSUE, lines, NOT_HTTP, NOT_JSON, TOO_LARGE, talk } from './transport-talk.ts'

/** Newer parsers of Node accept a tab after the value (RFC 9110 §5.5). Older ones do not. */
const tabMayFollow = await nodeTakes('Content-Length: 0\t')

/** A proxy in front may find another end of a body, so only one spelling of a length is accepted. */
describe('Content-Length', () => {
  const { running, answersTo, answerTo, lastAnswerTo } = talk()

  const keys = () => JSON.stringify(running().keys)
  const post = (...headers: ReadonlyArray<string>) =>
    lines(`POST ${ISSUE} HTTP/1.1`, 'Host: service.test', 'Content-Type: application/json', ...headers)

  const RIGHT: Array<[string, (length: number) => string]> = [
    ['as it is', (length) => `Content-Length: ${length}`],
    ['under a name in small letters', (length) => `content-length: ${length}`],
    ['without a space', (length) => `Content-Length:${length}`],
    ['between spaces', (length) => `Content-Length:   ${length}  `],
    ['behind a tab', (length) => `Content-Length:\t${length}`],
    ['behind a zero', (length) => `Content-Length: 0${length}`],
    ['behind many zeros', (length) => `Content-Length: ${'0'.repeat(200)}${length}`],
  ]

  const WRONG: Array<[string, (length: number) => string]> = [
    ['a number with a plus sign', (length) => `+${length}`],
    ['negative', (length) => `-${length}`],
    ['minus zero', () => '-0'],
    ['hexadecimal', (length) => `0x${length.toString(16)}`],
    ['a fraction', (length) => `${length}.0`],
    ['a number with an exponent', () => '1e2'],
    ['a list of two that are equal', (length) => `${length},${length}`],
    ['a list of two that are equal, with a space', (length) => `${length}, ${length}`],
    ['a list of two that differ', () => '5,6'],
    ['a list of two that differ, with a space', () => '5, 6'],
    ['two words', (length) => `${length} 0`],
    ['a number and a comma', (length) => `${length},`],
    ['a number and a semicolon', (length) => `${length};`],
    ['a number and a parameter', (length) => `${length};a=b`],
    ['a number and an underscore', (length) => `${length}_`],
    ['a number and a vertical tab', (length) => `${length}\v`],
    ['a number and U+0000', (length) => `${length}\0`],
    ['a number and a carriage return', (length) => `${length}\r`],
    ['a number that goes on in the next line', () => '1\r\n 33'],
    ['in quotes', (length) => `"${length}"`],
    ['a superscript', () => '\xb2'],
    ['empty', () => ''],
    ['a space', () => ' '],
    ['NaN', () => 'NaN'],
    ['infinite', () => 'Infinity'],
    ['2^64', () => '18446744073709551616'],
    ['2^64 and the length', (length) => String(2n ** 64n + BigInt(length))],
    ['10^400', () => `1${'0'.repeat(400)}`],
  ]

  if (tabMayFollow) RIGHT.push(['before a tab', (length) => `Content-Length: ${length}\t`])
  else WRONG.push(['a number and a tab', (length) => `${length}\t`])

  for (const [what, header] of RIGHT) {
    it(`may be written ${what}`, async () => {
      const body = keys()
      expect((await answerTo(post(header(body.length)) + body)).status).to.equal(200)
    })
  }

  for (const [what, value] of WRONG) {
    it(`that is ${what} is 400 and ends the connection`, async () => {
      const body = keys()
      expectRefusal(await lastAnswerTo(post(`Content-Length: ${value(body.length)}`) + body), 400, NOT_HTTP)
    })
  }

  for (const [what, ...headers] of [
    ['equal', 'Content-Length: 5', 'Content-Length: 5'],
    ['different', 'Content-Length: 5', 'Content-Length: 6'],
    ['in different case', 'Content-Length: 5', 'CONTENT-LENGTH: 5'],
    ['zero first', 'Content-Length: 0', 'Content-Length: 5'],
    ['zero last', 'Content-Length: 5', 'Content-Length: 0'],
    ['with another line between', 'Content-Length: 5', 'X: y', 'Content-Length: 5'],
  ] as const) {
    it(`on two lines, ${what}, is 400 and ends the connection`, async () => {
      expectRefusal(await lastAnswerTo(`${post(...headers)}{"":0}`), 400, NOT_HTTP)
    })
  }

  for (const length of [16_385n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    it(`of ${length} is 413 before the body arrives`, async () => {
      for (const behind of tabMayFollow ? ['', ' ', '\t'] : ['', ' ']) {
        const text = post(`Content-Length: ${length}${behind}`, 'Connection: close')
        expectRefusal(await lastAnswerTo(`${text}{`), 413, TOO_LARGE)
      }
    })
  }

  it('of zero means no body', async () => {
    for (const zero of ['0', '00', '0'.repeat(300)]) {
      expect((await answerTo(post(`Content-Length: ${zero}`))).status).to.equal(422)
    }
  })

  it('that is too short leaves bytes that are refused as an invalid request', async () => {
    const body = keys()
    const [first, second, ...more] = await answersTo(post(`Content-Length: ${body.length - 1}`) + body)
    expect(more).to.deep.equal([])
    expect([first?.status, second?.status]).to.deep.equal([400, 400])
    expect(JSON.parse(first?.body ?? '').message).to.equal(NOT_JSON)
    expect(JSON.parse(second?.body ?? '').message).to.equal(NOT_HTTP)
  })

  it('is required: without it, the bytes after the headers are the next request', async () => {
    const [first, second, ...more] = await answersTo(post() + keys())
    expect(more).to.deep.equal([])
    expect([first?.status, second?.status]).to.deep.equal([422, 400])
  })

  it('may be followed by an empty line after the body', async () => {
    const body = keys()
    expect((await answerTo(`${post(`Content-Length: ${body.length}`)}${body}\r\n`)).status).to.equal(200)
  })
})

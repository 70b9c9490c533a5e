import { expect } from 'chai'
import { nodeTakes } from './node-parser.ts'
import { expectRefusal, ISSUE, lines, NOT_HTTP, NOT_JSON, TOO_LARGE, talk } from './transport-talk.ts'

/** The parser of newer versions of Node takes a tab for the white space that it is (RFC 9110 §5.5); that of others does not. */
const tabMayFollow = await nodeTakes('Content-Length: 0\t')

/** Whoever stands in front may see the end of a body elsewhere, so there is one way to write a length. */
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
    ['a sum', (length) => `+${length}`],
    ['negative', (length) => `-${length}`],
    ['minus zero', () => '-0'],
    ['hexadecimal', (length) => `0x${length.toString(16)}`],
    ['a fraction', (length) => `${length}.0`],
    ['a power', () => '1e2'],
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
    it(`may not be ${what}: 400, and the end of the connection`, async () => {
      const body = keys()
      expectRefusal(await lastAnswerTo(post(`Content-Length: ${value(body.length)}`) + body), 400, NOT_HTTP)
    })
  }

  for (const [what, ...headers] of [
    ['two that are equal', 'Content-Length: 5', 'Content-Length: 5'],
    ['two that differ', 'Content-Length: 5', 'Content-Length: 6'],
    ['two in different letters', 'Content-Length: 5', 'CONTENT-LENGTH: 5'],
    ['zero and another', 'Content-Length: 0', 'Content-Length: 5'],
    ['another and zero', 'Content-Length: 5', 'Content-Length: 0'],
    ['two with a line between', 'Content-Length: 5', 'X: y', 'Content-Length: 5'],
  ] as const) {
    it(`may not be ${what}: 400, and the end of the connection`, async () => {
      expectRefusal(await lastAnswerTo(`${post(...headers)}{"":0}`), 400, NOT_HTTP)
    })
  }

  for (const length of [16_385n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    it(`is enough to refuse a body of ${length} bytes, before it has come`, async () => {
      for (const behind of tabMayFollow ? ['', ' ', '\t'] : ['', ' ']) {
        const text = post(`Content-Length: ${length}${behind}`, 'Connection: close')
        expectRefusal(await lastAnswerTo(`${text}{`), 413, TOO_LARGE)
      }
    })
  }

  it('of zero is that of no body', async () => {
    for (const zero of ['0', '00', '0'.repeat(300)]) {
      expect((await answerTo(post(`Content-Length: ${zero}`))).status).to.equal(422)
    }
  })

  it('that is too short leaves the rest for a request, which it is none', async () => {
    const body = keys()
    const [first, second, ...more] = await answersTo(post(`Content-Length: ${body.length - 1}`) + body)
    expect(more).to.deep.equal([])
    expect([first?.status, second?.status]).to.deep.equal([400, 400])
    expect(JSON.parse(first?.body ?? '').message).to.equal(NOT_JSON)
    expect(JSON.parse(second?.body ?? '').message).to.equal(NOT_HTTP)
  })

  it('is not guessed: what comes behind a request without one is the next request', async () => {
    const [first, second, ...more] = await answersTo(post() + keys())
    expect(more).to.deep.equal([])
    expect([first?.status, second?.status]).to.deep.equal([422, 400])
  })

  it('lets an empty line be behind the body', async () => {
    const body = keys()
    expect((await answerTo(`${post(`Content-Length: ${body.length}`)}${body}\r\n`)).status).to.equal(200)
  })
})

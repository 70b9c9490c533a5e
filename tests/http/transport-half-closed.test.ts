import { expect } from 'chai'
import { strictAnswers } from '../support/strict-answers.ts'
import { bearer, CREDENTIALS, gatedHasher, PASSWORD, post } from './transport-gate.ts'
import {
  connected,
  expectHeaders,
  expectRefusal,
  get,
  ISSUE,
  lines,
  NOT_HTTP,
  talk,
} from './transport-talk.ts'

const JSON_TYPE = 'Content-Type: application/json'

describe('a client that ends its side of the connection', () => {
  const { module, hold, release, aborted } = gatedHasher()
  const { running, expectNoHarm } = talk(module)
  afterEach(release)

  /** All responses to a text after which the client ends its side at once. */
  const answersTo = async (text: string) => {
    const { socket, received, closed } = await connected(running().port)
    socket.end(Buffer.from(text, 'latin1'))
    await closed
    await expectNoHarm()
    const { answers, rest } = strictAnswers(received(), () => false)
    expect(rest).to.equal('')
    return answers
  }

  for (const [what, status, text] of [
    ['sends a plain request', 200, () => get('/healthz')],
    ['gets a token', 200, () => post(ISSUE, running().keys)],
    ['sends a body that is too large', 413, () => post(ISSUE, { x: 'y'.repeat(100_000) })],
    ['sends chunks', 200, () => `${get('/healthz', 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`],
    ['sends an unsupported expectation', 417, () => get('/healthz', 'Expect: x')],
  ] as const) {
    it(`still gets ${status} when it ${what}`, async () => {
      const [answer, ...more] = await answersTo(text())
      expect(more).to.deep.equal([])
      expect(answer?.status).to.equal(status)
      if (answer !== undefined) expectHeaders(answer)
    })
  }

  const held: ReadonlyArray<[string, () => Promise<string>]> = [
    [
      'signs in',
      async () => post('/api/v1/auth/user/token', CREDENTIALS, bearer(await running().applicationToken())),
    ],
    [
      'changes a password',
      async () => {
        const change = { old_password: PASSWORD, new_password: PASSWORD, new_password_check: PASSWORD }
        return post('/api/v1/profile/change_password', change, bearer(await running().userToken()))
      },
    ],
  ]

  for (const [what, textOf] of held) {
    it(`still gets a slow response: it ${what}`, async () => {
      const text = await textOf()
      const { reached, open } = hold()
      const { socket, received, closed } = await connected(running().port)
      socket.end(text)
      await reached
      await aborted()
      open()
      await closed
      const { answers } = strictAnswers(received(), () => false)
      expect(answers.map(({ status }) => status)).to.deep.equal([200])
      await expectNoHarm()
    })

    it(`still gets the responses after a slow one: it ${what}`, async () => {
      const text = await textOf()
      const { reached, open } = hold()
      const { socket, received, closed } = await connected(running().port)
      socket.end(text + get('/nothing').repeat(2))
      await reached
      await expectNoHarm()
      open()
      await closed
      const { answers } = strictAnswers(received(), () => false)
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 404])
    })
  }

  const BODY = '{"public_api_key":"x"}'
  const sized = lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', JSON_TYPE, `Content-Length: ${BODY.length}`)
  const inChunks = lines(`POST ${ISSUE} HTTP/1.1`, 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')

  for (const [what, text] of [
    ['in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: y'],
    ['before a body', sized],
    ['in a body', sized + BODY.slice(0, -1)],
    ['in a chunk', `${inChunks}5\r\n{}`],
    ['in a trailer', `${inChunks}2\r\n{}\r\n0\r\nX: y\r\n`],
  ] as const) {
    it(`gets 400 for a request cut ${what}`, async () => {
      const [answer, ...more] = await answersTo(text)
      expect(more).to.deep.equal([])
      if (answer === undefined) throw new Error('no answer')
      expectRefusal(answer, 400, NOT_HTTP)
      expect(answer.headers.connection).to.equal('close')
    })

    it(`gets 400 after the preceding responses for a request cut ${what}`, async () => {
      const answers = await answersTo(post(ISSUE, running().keys) + get('/nothing') + text)
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 400])
    })
  }

  it('gets no response to empty input or empty lines', async () => {
    for (const text of ['', '\r\n', '\r\n\r\n\n']) expect(await answersTo(text)).to.deep.equal([])
  })
})

import { once } from 'node:events'
import { expect } from 'chai'
import { answersIn } from '../support/raw-text.ts'
import { connected, ISSUE, lines, talk } from './transport-talk.ts'

const JSON_TYPE = 'Content-Type: application/json'
const KiB = 1024

/** More than the loopback buffers and the service’s limit for dropped bytes hold together. */
const HUGE_BYTES = 100 * KiB * KiB

describe('the unread rest of a body after the response', () => {
  const { running, expectNoHarm } = talk()

  const head = (path: string, ...headers: ReadonlyArray<string>) =>
    lines(`POST ${path} HTTP/1.1`, 'Host: a', JSON_TYPE, ...headers)

  const ENDS: ReadonlyArray<[string, string, number]> = [
    ['too large', head(ISSUE, `Content-Length: ${HUGE_BYTES}`), 413],
    ['on an unknown path', head('/nothing', `Content-Length: ${HUGE_BYTES}`), 404],
    ['without a token', head('/api/v1/profile', `Content-Length: ${HUGE_BYTES}`), 401],
    [
      'too large, in chunks',
      `${head(ISSUE, 'Transfer-Encoding: chunked')}${HUGE_BYTES.toString(16)}\r\n`,
      413,
    ],
    [
      'in chunks, without a token',
      `${head('/api/v1/profile', 'Transfer-Encoding: chunked')}${HUGE_BYTES.toString(16)}\r\n`,
      401,
    ],
  ]

  for (const [what, text, status] of ENDS) {
    it(`ends the connection soon: ${what}`, async () => {
      const { socket, received, closed } = await connected(running().port)
      socket.write(text)
      const piece = Buffer.alloc(64 * KiB, ' ')
      let taken = 0
      const send = (): void => {
        if (socket.writable && taken < HUGE_BYTES) socket.write(piece, () => send())
        taken += piece.length
      }
      send()
      await closed
      const [answer, ...more] = answersIn(received())
      expect(more).to.deep.equal([])
      expect([answer?.status, answer?.headers.connection]).to.deep.equal([status, 'close'])
      expect(taken).to.be.below(HUGE_BYTES / 4)
      await expectNoHarm()
    })
  }

  for (const [what, path, length, status] of [
    ['too large', ISSUE, 100 * KiB, 413],
    ['on an unknown path', '/nothing', 5, 404],
    ['without a token', '/api/v1/profile', 5, 401],
  ] as const) {
    it(`is not requested with a 100 when the request is refused first: ${what}`, async () => {
      const { socket, received, closed } = await connected(running().port)
      socket.write(head(path, `Content-Length: ${length}`, 'Expect: 100-continue'))
      await closed
      expect(answersIn(received()).map((answer) => [answer.status, answer.headers.connection])).to.deep.equal(
        [[status, 'close']],
      )
      await expectNoHarm()
    })
  }

  it('is requested with a 100 only when it is read, after the preceding responses', async () => {
    const { socket, received, closed } = await connected(running().port)
    const body = JSON.stringify(running().keys)
    socket.write(
      lines('GET /nothing HTTP/1.1', 'Host: a') +
        head(ISSUE, `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'),
    )
    while (!received().includes(' 100 Continue')) await once(socket, 'data')
    socket.write(body)
    await closed
    expect(received().match(/HTTP\/1\.1 \d+/g)).to.deep.equal([
      'HTTP/1.1 404',
      'HTTP/1.1 100',
      'HTTP/1.1 200',
    ])
    await expectNoHarm()
  })

  it('keeps the connection open when it is small', async () => {
    const { socket, received, closed } = await connected(running().port)
    socket.write(head('/api/v1/profile', 'Content-Length: 10'))
    await once(socket, 'data')
    socket.write(`0123456789${lines('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close')}`)
    await closed
    expect(answersIn(received()).map(({ status }) => status)).to.deep.equal([401, 200])
    await expectNoHarm()
  })
})

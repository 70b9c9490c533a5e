import { once } from 'node:events'
import { expect } from 'chai'
import { answersIn } from '../support/raw-text.ts'
import { connected, ISSUE, lines, talk } from './transport-talk.ts'

const JSON_TYPE = 'Content-Type: application/json'
const KiB = 1024

/** More than the systems of both sides keep on loopback, and the service drops, in all. */
const ENDLESS = 100 * KiB * KiB

describe('a body of which more is to come when it is answered', () => {
  const { running, expectNoHarm } = talk()

  const head = (path: string, ...headers: ReadonlyArray<string>) =>
    lines(`POST ${path} HTTP/1.1`, 'Host: a', JSON_TYPE, ...headers)

  const ENDS: ReadonlyArray<[string, string, number]> = [
    ['one that is too large', head(ISSUE, `Content-Length: ${ENDLESS}`), 413],
    ['one behind an unknown path', head('/nothing', `Content-Length: ${ENDLESS}`), 404],
    ['one without a token', head('/api/v1/profile', `Content-Length: ${ENDLESS}`), 401],
    [
      'chunks that are too large',
      `${head(ISSUE, 'Transfer-Encoding: chunked')}${ENDLESS.toString(16)}\r\n`,
      413,
    ],
    [
      'chunks without a token',
      `${head('/api/v1/profile', 'Transfer-Encoding: chunked')}${ENDLESS.toString(16)}\r\n`,
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
        if (socket.writable && taken < ENDLESS) socket.write(piece, () => send())
        taken += piece.length
      }
      send()
      await closed
      const [answer, ...more] = answersIn(received())
      expect(more).to.deep.equal([])
      expect([answer?.status, answer?.headers.connection]).to.deep.equal([status, 'close'])
      expect(taken).to.be.below(ENDLESS / 4)
      await expectNoHarm()
    })
  }

  for (const [what, path, length, status] of [
    ['too large', ISSUE, 100 * KiB, 413],
    ['behind an unknown path', '/nothing', 5, 404],
    ['without a token', '/api/v1/profile', 5, 401],
  ] as const) {
    it(`is not asked for with a 100 where it is refused before: ${what}`, async () => {
      const { socket, received, closed } = await connected(running().port)
      socket.write(head(path, `Content-Length: ${length}`, 'Expect: 100-continue'))
      await closed
      expect(answersIn(received()).map((answer) => [answer.status, answer.headers.connection])).to.deep.equal(
        [[status, 'close']],
      )
      await expectNoHarm()
    })
  }

  it('is asked for with a 100 where it is read, behind the answers to what came before', async () => {
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

  it('leaves the connection fit for the next request where little is to come', async () => {
    const { socket, received, closed } = await connected(running().port)
    socket.write(head('/api/v1/profile', 'Content-Length: 10'))
    await once(socket, 'data')
    socket.write(`0123456789${lines('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close')}`)
    await closed
    expect(answersIn(received()).map(({ status }) => status)).to.deep.equal([401, 200])
    await expectNoHarm()
  })
})

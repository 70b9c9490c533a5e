import { expect } from 'chai'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

describe('header lines', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const send = async (text: string) => parseRaw(await sendRaw(running.port, Buffer.from(text, 'latin1')))

  /** A request with this number of header lines. `requestText` adds Host and Connection. */
  const withLines = (count: number, name: (index: number) => string) =>
    requestText(
      'GET',
      '/healthz',
      Array.from({ length: count - 2 }, (_, index) => `${name(index)}: y`),
    )

  for (const [what, name] of [
    ['different names', (index: number) => `X-${index}`],
    ['one name', () => 'X'],
  ] as const) {
    it(`may be 100, with ${what}`, async () => {
      expect((await send(withLines(100, name))).status).to.equal(200)
    })

    it(`above 100 are 431, with ${what}`, async () => {
      for (const count of [101, 102, 200, 1000]) {
        const answer = await send(withLines(count, name))
        expect([count, answer.status]).to.deep.equal([count, 431])
        expect(answer.body).to.deep.equal({
          success: false,
          code: 431,
          message: 'The request has more than 100 header lines.',
        })
      }
    })
  }

  it('may have 15 KiB together', async () => {
    const answer = await send(requestText('GET', '/healthz', [`X: ${'y'.repeat(15 * 1024)}`]))
    expect(answer.status).to.equal(200)
  })

  for (const [what, text, message] of [
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 'The request has no host header.'],
    [
      'two Hosts',
      requestText('GET', '/healthz', ['Host: elsewhere.test']),
      'The request has more than one host header.',
    ],
    [
      'two equal Hosts',
      requestText('GET', '/healthz', ['HOST: service.test']),
      'The request has more than one host header.',
    ],
    [
      'two Authorizations',
      requestText('GET', '/healthz', ['Authorization: Bearer x', 'AUTHORIZATION: Basic eDp5']),
      'The request has more than one authorization header.',
    ],
    [
      'two Content-Encodings',
      requestText('GET', '/healthz', ['Content-Encoding: identity', 'Content-Encoding: gzip']),
      'The request has more than one content-encoding header.',
    ],
  ] as const) {
    it(`with ${what} are 400 on every path`, async () => {
      for (const path of ['/healthz', '/api/v1/profile', '/nothing']) {
        const answer = await send(text.replace('/healthz', path))
        expect([path, answer.status]).to.deep.equal([path, 400])
        expect(answer.body).to.deep.equal({ success: false, code: 400, message })
      }
    })
  }

  it('may omit Host in HTTP/1.0', async () => {
    const answer = await send('GET /healthz HTTP/1.0\r\n\r\n')
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ status: 'alive' })
    expect(answer.headers.connection).to.equal('close')
  })

  it('with Upgrade do not change the protocol', async () => {
    const text = requestText('GET', '/healthz', ['Upgrade: websocket, h2c', 'Connection: upgrade'])
    expect((await send(text)).status).to.equal(200)
  })
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { type HttpService, httpService } from '../../adapters/http/service.ts'
import { capturedLog } from '../support/captured-log.ts'
import { plainRoute } from '../support/plain-route.ts'

/** More than the client’s buffers hold while the client does not read. */
const LARGE = 'x'.repeat(2 * 1024 * 1024)

describe('a large response that ends the connection', () => {
  let service: HttpService
  let port: number
  before(async () => {
    service = httpService({
      routes: () => [plainRoute('/large', { status: 200, content: { type: 'text/plain', data: LARGE } })],
      log: capturedLog().log,
      makeId: () => 'made',
      trustedProxies: 0,
    })
    port = await service.listen('127.0.0.1', 0)
  })
  after(() => service.stop())

  for (const [what, more] of [
    ['other requests', 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['invalid HTTP', 'rubbish\r\n\r\n'],
  ] as const) {
    it(`arrives whole at a client that reads late and sends ${what} meanwhile`, async () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      const errors: Array<Error> = []
      let received = ''
      socket.on('error', (error) => errors.push(error))
      const closed = once(socket, 'close')
      socket.write('GET /large HTTP/1.0\r\n\r\n')
      await once(socket, 'readable') // starts reading from the socket
      for (let each = 0; each < 50; each += 1) {
        socket.write(more)
        await nextTurn()
      }
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('end', () => socket.end())
      await closed
      expect(errors).to.deep.equal([])
      expect(received.slice(received.indexOf('\r\n\r\n') + 4).length).to.equal(LARGE.length)
    })
  }

  it('arrives whole at a client that sends more than the server discards', async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {}) // the server resets the connection in the end
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.write(`GET /large HTTP/1.0\r\n\r\n${'x'.repeat(8 * 1024 * 1024)}`)
    await closed
    expect(received.slice(received.indexOf('\r\n\r\n') + 4).length).to.equal(LARGE.length)
  })
})

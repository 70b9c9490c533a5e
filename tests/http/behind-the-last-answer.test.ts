import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'

describe('a response that ends the connection', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const LAST = [
    ['Connection: close', 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 200],
    ['too many header lines', `GET /healthz HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(101)}\r\n`, 431],
    ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
  ] as const
  for (const [why, request, status] of LAST) {
    it(`is not followed by a reset or a second response when more requests arrive: ${why}`, async () => {
      const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true })
      let received = ''
      const errors: Array<Error> = []
      socket.on('error', (error) => errors.push(error))
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.write(request)
      await once(socket, 'end') // the service has ended its side
      const closed = once(socket, 'close')
      for (let each = 0; each < 20; each += 1) {
        socket.write(`POST /api/v1/profile HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n${'x'.repeat(9)}`)
        await new Promise(setImmediate)
      }
      socket.end()
      await closed
      expect(errors).to.deep.equal([])
      expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal([`HTTP/1.1 ${status}`])
    })
  }

  it('closes the connection at once when the client has ended its side', async () => {
    const socket = connect(running.port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.resume().end('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await closed
    expect(socket.bytesRead).to.be.greaterThan(0)
  })
})

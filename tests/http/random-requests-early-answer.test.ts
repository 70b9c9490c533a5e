import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'

/**
 * RFC 9112 §9.6: a server that closes while a request still arrives resets the connection. The client may then
 * lose the response.
 */
describe('a response that ends the connection before the whole request has arrived', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  for (const [what, head] of [
    ['Connection: close', 'POST /api/v1/profile HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'],
    ['HTTP/1.0', 'POST /api/v1/profile HTTP/1.0\r\n'],
    ['an unsupported expectation', 'POST /api/v1/profile HTTP/1.1\r\nHost: a\r\nExpect: x\r\n'],
  ] as const) {
    it(`is not followed by a reset while the rest arrives: ${what}`, async () => {
      const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true })
      let failure: string | undefined
      socket.on('error', (error: Error & { code?: string }) => {
        failure = error.code
      })
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const size = 64 * 1024
      socket.write(`${head}Content-Length: ${size}\r\n\r\n`)
      const [answer] = await once(socket, 'data')
      expect(answer.toString()).to.match(/^HTTP\/1\.1 4\d\d /)
      for (let sent = 0; sent < size && !socket.destroyed; sent += 4096) {
        socket.write(Buffer.alloc(4096))
        await pause(1) // a reset answers data that was sent
      }
      socket.end()
      socket.resume()
      await closed
      expect(failure).to.equal(undefined)
    })
  }
})

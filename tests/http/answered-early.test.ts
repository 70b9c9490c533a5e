import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { type RunningService, startService } from '../support/running-service.ts'

describe('a request that is answered before its end', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  it('is answered once, even if its rest is not valid HTTP', async () => {
    const socket = connect(running.port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write('POST /api/v1/profile HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')
    socket.write('no chunk at all\r\n')
    await closed
    expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 401'])
  })
})

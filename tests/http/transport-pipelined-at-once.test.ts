import { connect } from 'node:net'
import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/running-service.ts'

/** They fit into one read of Node from a socket (64 KiB). */
const SENT = 1_500

describe('a client that sends fifteen hundred requests before reading a response', () => {
  it('has only a few of them processed and is disconnected', async () => {
    const store = memoryStore()
    let begun = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let holding = false
    const slow = {
      ...store,
      listSigningKeys: () => async () => {
        if (holding) {
          begun += 1
          await released
        }
        return store.listSigningKeys()()
      },
    }
    const service = await startService(
      {},
      provide(Dependency.storage, () => ({ store: slow })),
    )
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume() // so that the socket sees the end
    try {
      holding = true
      await new Promise<void>((resolve) => {
        socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(SENT), () => resolve())
      })
      await eventually('it is let go of', async () => (socket.destroyed ? true : undefined))
      expect(begun).to.be.within(1, 32)
      expect(socket.destroyed).to.equal(true)
    } finally {
      release()
      socket.destroy()
      await service.stop()
    }
  })
})

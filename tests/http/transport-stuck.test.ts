import { connect } from 'node:net'
import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { eventually } from '../support/eventually.ts'
import { withService } from '../support/with-service.ts'
import { withTimeouts } from './transport-timeouts.ts'

describe('a connection without traffic in either direction', () => {
  it('is closed, although its request was not answered', () => {
    const store = memoryStore()
    let isStuck = false
    const stuck = {
      ...store,
      listSigningKeys: () => (isStuck ? () => new Promise<never>(() => {}) : store.listSigningKeys()),
    }
    const timeouts = {
      headersTimeout: 65_000,
      requestTimeout: 65_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 20,
      timeout: 200,
    }
    return withService(
      {},
      async ({ port }) => {
        isStuck = true
        const socket = connect(port, '127.0.0.1')
        let received = ''
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('error', () => {})
        socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n')
        await eventually('it is let go of', async () => (socket.destroyed ? true : undefined))
        expect(received).to.equal('')
      },
      withTimeouts(timeouts),
      provide(Dependency.storage, () => ({ store: stuck })),
    )
  })
})

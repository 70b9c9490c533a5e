import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgres } from '../support/postgres.ts'

const REFUSED = 3

/** What a proxy does with connections while its server is down. */
const FRONTS: ReadonlyArray<readonly [string, (client: Socket) => void]> = [
  ['ends', (client) => void client.end()],
  ['resets', (client) => void client.resetAndDestroy()],
  ['closes', (client) => void client.once('data', () => client.destroy())],
]

if (postgres !== undefined) {
  const { port, newDatabase } = postgres
  describe('a database whose server is starting', () => {
    for (const [what, turnAway] of FRONTS)
      it(`is retried behind a proxy that ${what} connections`, async () => {
        const { url, drop } = await newDatabase()
        let come = 0
        const front = createServer((client) => {
          client.on('error', () => {})
          come += 1
          if (come <= REFUSED) return turnAway(client)
          const server = connect(port, '127.0.0.1')
          server.on('error', () => {})
          client.pipe(server).pipe(client)
        }).listen(0, '127.0.0.1')
        await once(front, 'listening')
        const address = front.address()
        const here = typeof address === 'object' && address !== null ? address.port : 0
        await openDatabase({ url: url.replace(`:${port}/`, `:${here}/`), place: 'a database of the tests' })
        expect(come).to.be.greaterThan(REFUSED)
        front.close()
        await drop()
      })

    it('is not retried after the server refused: an operator must act', async () => {
      const { url, drop } = await newDatabase()
      for (const [wrong, said] of [
        [url.replace(/test_\d+$/, 'nothing'), 'no database has this name'],
        [url.replace(/:[^:@]+@/, ':wrong@'), 'the server refuses this user or password'],
      ] as const) {
        const error = await openDatabase(
          { url: wrong, place: 'of the tests' },
          { timeoutMs: Number.POSITIVE_INFINITY },
        )
          .then(() => undefined)
          .catch((error: Error) => error.message)
        expect(error).to.include(said)
      }
      await drop()
    })
  })
}

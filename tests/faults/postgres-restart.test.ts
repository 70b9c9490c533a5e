import { expect } from 'chai'
import type { Serving } from '../support/command.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { changesSucceed, type PostgresPlace, postgresPlace, requestIsRefused } from './postgres-place.ts'

const ENDS: ReadonlyArray<readonly [string, (server: PostgresServer) => Promise<void>]> = [
  ['is stopped', ({ stop }) => stop()],
  ['is stopped immediately', ({ kill }) => kill('SIGQUIT')],
  ['is killed', ({ kill }) => kill('SIGKILL')],
]

describe('a PostgreSQL under load', () => {
  let place: PostgresPlace
  let server: Serving
  before(async () => {
    place = await postgresPlace()
    server = await place.serve()
  })
  after(() => place.remove())

  for (const [what, end] of ENDS)
    it(`that ${what} and restarted loses nothing, and the service continues by itself`, async () => {
      const traffic = await place.traffic(server.port)
      for (let time = 1; time <= 2; time += 1) {
        await changesSucceed(traffic)
        await end(place.postgres)
        await requestIsRefused(traffic)
        await place.postgres.start()
        await changesSucceed(traffic)
      }
      await traffic.stop()
      expect(traffic.replies.filter(({ fate }) => fate !== 'answered')).to.deep.equal([])
      await place.verifyAll(server.port)
    })

  it('that is away does not keep a service from stopping, which first answers all requests', async () => {
    const before = await place.traffic(server.port)
    await changesSucceed(before)
    await before.stop()
    // Nothing is in flight when it stops, because such a request would have an unknown outcome.
    await place.postgres.kill('SIGQUIT')
    const traffic = await place.traffic(server.port)
    await requestIsRefused(traffic)
    expect(await server.end('SIGTERM')).to.equal(0)
    await traffic.over
    expect(traffic.replies.filter(({ fate }) => fate === 'broken')).to.deep.equal([])
    await place.postgres.start()
    server = await place.serve()
    await place.verifyAll(server.port)
    expect(await server.end('SIGTERM')).to.equal(0)
  })
})

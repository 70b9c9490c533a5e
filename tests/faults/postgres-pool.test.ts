import { expect } from 'chai'
import pg from 'pg'
import type { Serving } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { changesSucceed, type PostgresPlace, postgresPlace, requestIsRefused } from './postgres-place.ts'

const MAX_CONNECTIONS = 12

describe('a service without free connections to PostgreSQL', () => {
  let place: PostgresPlace
  let server: Serving
  before(async () => {
    place = await postgresPlace({ DATABASE_POOL_SIZE: '2' }, '-c', `max_connections=${MAX_CONNECTIONS}`)
    server = await place.serve()
  })
  after(() => place.remove())

  const readiness = async () => {
    const { send, close } = httpClient(server.url)
    const answer = await send({ method: 'GET', path: '/readyz' })
    await close()
    return answer
  }

  const isNotReady = async (): Promise<void> => {
    for (;;) {
      const { status, headers } = await readiness()
      if (status !== 200) {
        expect(status).to.equal(503)
        return void expect(headers['retry-after']).to.match(/^\d+$/)
      }
    }
  }

  /** On a busy machine a request can wait too long for one of the two connections. */
  const isReady = async (): Promise<void> => {
    while ((await readiness()).status !== 200);
  }

  it('because its own wait for a lock reports it, and continues after the release', async () => {
    const holder = await connected(place.url)
    const traffic = await place.traffic(server.port)
    await changesSucceed(traffic)
    await holder.query('BEGIN; UPDATE portcullis.head SET position = position')
    await isNotReady()
    await requestIsRefused(traffic)
    await holder.query('ROLLBACK')
    await changesSucceed(traffic)
    await isReady()
    await traffic.stop()
    await holder.end()
    await place.verifyAll(server.port)
  })

  it('because other clients hold all of the server reports it, and continues when they disconnect', async () => {
    const traffic = await place.traffic(server.port)
    await changesSucceed(traffic)
    const others = [await connected(place.url)]
    const [first] = others
    const owned = async () =>
      (
        await first?.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portcullis'",
        )
      )?.rowCount ?? 0
    // A backend of the service may be starting, which no query shows. So this repeats until the service has none.
    do await takeAll(place.url, others)
    while ((await owned()) > 0 || (await readiness()).status === 200)
    await isNotReady()
    await requestIsRefused(traffic)
    for (const other of others) await other.end()
    await changesSucceed(traffic)
    await isReady()
    await traffic.stop()
    await place.verifyAll(server.port)
    expect(await server.end('SIGTERM')).to.equal(0)
  })
})

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url)
  client.on('error', () => {}) // if the test fails, the server ends with it
  await client.connect()
  return client
}

/** Connects until the server has no free connection. */
const takeAll = async (url: string, taken: Array<pg.Client>): Promise<void> => {
  for (;;) {
    const error = await connected(url).then(
      (client) => void taken.push(client),
      (error: unknown) => error,
    )
    if (error === undefined) continue
    expect(error).to.include({ code: '53300' })
    return
  }
}

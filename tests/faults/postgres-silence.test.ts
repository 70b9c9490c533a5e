import { expect } from 'chai'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { changesSucceed, type PostgresPlace, postgresPlace, requestIsRefused } from './postgres-place.ts'
import { asking } from './requests.ts'

describe('a silent connection to PostgreSQL', () => {
  let place: PostgresPlace
  let proxy: PostgresProxy
  before(async () => {
    place = await postgresPlace()
    proxy = await postgresProxy(place.postgres.port)
  })
  after(async () => {
    await proxy.close()
    await place.remove()
  })

  const serveBehindIt = () => {
    const url = proxy.url(place.url)
    return place.serve({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })
  }

  it('makes a service refuse requests. It continues when the connection recovers, without loss', async () => {
    const server = await serveBehindIt()
    const traffic = await place.traffic(server.port)
    await changesSucceed(traffic)
    proxy.silence()
    await requestIsRefused(traffic)
    proxy.resume()
    await changesSucceed(traffic)
    await traffic.stop()
    expect(traffic.replies.filter(({ fate }) => fate !== 'answered')).to.deep.equal([])
    await place.verifyAll(server.port)
    expect(await server.end('SIGTERM')).to.equal(0)
  })

  it('does not keep a service from stopping', async () => {
    const server = await serveBehindIt()
    const ask = asking(server.port, place.everybody, place.book)
    expect((await ask.applicationToken()).status).to.equal(200)
    ask.close()
    proxy.silence()
    expect(await server.end('SIGTERM')).to.equal(0)
    proxy.resume()
  })

  it('with the log head locked by a frozen service lets others continue, and later that service too', async () => {
    const [frozen, other] = await Promise.all([serveBehindIt(), place.serve()])
    const its = await place.traffic(frozen.port)
    await changesSucceed(its)
    await proxy.next(/^COMMIT\b/, 'held') // never released: from now on the server side holds the head
    process.kill(frozen.pid, 'SIGSTOP')
    const shop = asking(other.port, place.everybody, place.book)
    const statuses = []
    for (let time = 1; time <= 3; time += 1) statuses.push((await shop.applicationToken()).status)
    shop.close()
    expect(statuses).to.deep.equal([200, 200, 200])
    process.kill(frozen.pid, 'SIGCONT')
    await changesSucceed(its)
    await its.stop()
    await place.verifyAll(other.port)
    expect(await Promise.all([frozen.end('SIGTERM'), other.end('SIGTERM')])).to.deep.equal([0, 0])
  })
})

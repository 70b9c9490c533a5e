import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { request } from 'undici'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'
import { workplace } from '../support/workplace.ts'

const NOT_FOUND = { success: false, code: 404, message: 'Unknown path.' }

describe('METRICS_PORT', () => {
  let metricsPort: number
  let running: RunningService
  let metrics: ReturnType<typeof httpClient>
  before(async () => {
    metricsPort = await freePort()
    running = await startService({
      METRICS_PORT: String(metricsPort),
      PUBLIC_URL: 'https://service.test/auth',
    })
    metrics = httpClient(`http://127.0.0.1:${metricsPort}`)
  })
  after(async () => {
    await metrics.close()
    await running.stop()
  })

  it('serves the metrics of both ports, without the path prefix', async () => {
    await running.send({ method: 'DELETE', path: '/healthz' })
    const { value } = await scrape(`http://127.0.0.1:${metricsPort}`)
    const series = 'portcullis_http_requests_total{method="other",route="/healthz",status="405"}'
    expect(value(series)).to.equal(1)
    const again = await scrape(`http://127.0.0.1:${metricsPort}`)
    expect(
      again.value('portcullis_http_requests_total{method="GET",route="/metrics",status="200"}'),
    ).to.be.at.least(1)
  })

  it('removes the metrics from the main port', async () => {
    for (const path of ['/metrics', '/auth/metrics']) {
      expect((await running.send({ method: 'GET', path })).body, path).to.deep.equal(NOT_FOUND)
    }
  })

  it('serves nothing else', async () => {
    for (const path of ['/auth/metrics', '/healthz', '/readyz', '/auth/api/v1/profile', '/', '/metrics/']) {
      expect((await metrics.send({ method: 'GET', path })).body, path).to.deep.equal(NOT_FOUND)
    }
  })
})

describe('a service with METRICS_PORT', () => {
  it('releases that port when it stops', async () => {
    const port = await freePort()
    const running = await startService({ METRICS_PORT: String(port) })
    const kept = await request(`http://127.0.0.1:${port}/metrics`)
    await kept.body.dump()
    await running.stop()
    const taken = createServer().listen(port, '127.0.0.1')
    await once(taken, 'listening') // rejects if the port is in use
    taken.close()
  })

  const { serve, remove } = workplace()
  after(remove)

  it('logs the address of its metrics', async () => {
    const port = await freePort()
    const server = await serve('serve', { METRICS_PORT: String(port) })
    await server.prints(`Metrics: http://127.0.0.1:${port}/metrics`)
    expect((await scrape(`http://127.0.0.1:${port}`)).value('portcullis_log_position')).to.be.above(0)
    expect(await server.end()).to.equal(0)
  })
})

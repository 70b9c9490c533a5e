import { expect } from 'chai'
import { request } from 'undici'
import { VERSION } from '../../adapters/config/version.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape, scraped } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'

describe('GET /metrics', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const baseUrl = () => `http://127.0.0.1:${running.port}`

  it('is in the Prometheus format with the usual response headers', async () => {
    const { statusCode, headers, body } = await request(`${baseUrl()}/metrics`)
    expect(statusCode).to.equal(200)
    const text = await body.text()
    expect(lastingHeaders({ headers })).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(text)),
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    const { types, value } = scraped(text)
    expect(types.get('portcullis_http_requests_total')).to.equal('counter')
    expect(value(`portcullis_build_info{version="${VERSION}",node="${process.version}"}`)).to.equal(1)
  })

  it('includes process metrics such as the event loop', async () => {
    const { types, value } = await scrape(baseUrl())
    expect(value('process_resident_memory_bytes')).to.be.above(1_000_000)
    expect(types.get('nodejs_eventloop_lag_p99_seconds')).to.equal('gauge')
    expect(types.get('nodejs_gc_duration_seconds')).to.equal('histogram')
  })

  it('answers HEAD without a body and refuses other methods', async () => {
    const head = await request(`${baseUrl()}/metrics`, { method: 'HEAD' })
    expect(head.statusCode).to.equal(200)
    expect(head.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8')
    expect(await head.body.text()).to.equal('')
    const post = await running.send({ method: 'POST', path: '/metrics' })
    expect(post.status).to.equal(405)
    expect(post.headers.allow).to.equal('GET, HEAD, OPTIONS')
  })

  it('is not below the path of PUBLIC_URL, so that a proxy for that path does not forward it', async () => {
    await withService({ PUBLIC_URL: 'https://service.test/auth' }, async ({ port, send }) => {
      const { value } = await scrape(`http://127.0.0.1:${port}`)
      expect(value('portcullis_http_connections')).to.be.at.least(1)
      expect((await send({ method: 'GET', path: '/auth/metrics' })).status).to.equal(404)
    })
  })

  it('excludes other services in the same process', async () => {
    await withService({}, async ({ port, send }) => {
      await send({ method: 'DELETE', path: '/healthz' })
      const series = 'portcullis_http_requests_total{method="other",route="/healthz",status="405"}'
      expect((await scrape(`http://127.0.0.1:${port}`)).value(series)).to.equal(1)
      expect((await scrape(baseUrl())).value(series)).to.equal(undefined)
    })
  })
})

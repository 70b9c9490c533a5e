import { expect } from 'chai'
import { onEveryStore } from '../support/every-store.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const HEADERS = {
  'cache-control': 'no-store',
  'content-length': '18',
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

onEveryStore('the health routes', (stores) => {
  let running: RunningService
  beforeEach(async () => {
    running = await startService(await stores.fresh())
  })
  afterEach(() => running.stop())

  for (const [path, status] of [
    ['/healthz', 'alive'],
    ['/readyz', 'ready'],
  ] as const) {
    it(`GET ${path} says without authentication that the service is ${status}`, async () => {
      const answer = await running.send({ method: 'GET', path })
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.equal({ status })
      expect(lastingHeaders(answer)).to.deep.equal(HEADERS)
    })

    it(`HEAD ${path} answers like GET, without the body`, async () => {
      const answer = await running.send({ method: 'HEAD', path })
      expect(answer.status).to.equal(200)
      expect(answer.body).to.equal(undefined)
      expect(lastingHeaders(answer)).to.deep.equal(HEADERS)
    })

    it(`GET ${path} ignores the body and the token`, async () => {
      const answer = await running.send({
        method: 'GET',
        path,
        token: 'nonsense',
        body: '{ no JSON at all',
        headers: { 'content-type': 'text/plain' },
      })
      expect(answer.status).to.equal(200)
    })
  }

  it('report alive and not ready when the store is closed', async () => {
    await running.service.store.close()
    const ready = await running.send({ method: 'GET', path: '/readyz' })
    expect(ready.status).to.equal(503)
    expect(ready.body).to.deep.equal({
      success: false,
      code: 503,
      message: 'The store is not available now: the store is closed.',
      outcome: 'none',
    })
    expect(ready.headers['retry-after']).to.match(/^[1-9]\d*$/)
    expect((await running.send({ method: 'GET', path: '/healthz' })).status).to.equal(200)
  })
})

import { expect } from 'chai'
import { request } from 'undici'
import { metricsRoute } from '../../adapters/http/metrics/route.ts'
import { httpService } from '../../adapters/http/service.ts'
import { capturedLog } from '../support/captured-log.ts'
import { gate } from '../support/waiting.ts'

describe('concurrent scrapes', () => {
  it('share one exposition, and a later one gets its own', async () => {
    const COUNT = 20
    const held = gate()
    let made = 0
    const route = metricsRoute(async () => {
      made += 1
      const data = `made ${made}`
      await held.pass()
      return { type: 'text/plain', data }
    })
    const { log } = capturedLog()
    const service = httpService({ routes: () => [route], log, makeId: () => 'an-id', trustedProxies: 0 })
    const port = await service.listen('127.0.0.1', 0)
    const scraped = async () =>
      (await request(`http://127.0.0.1:${port}/metrics`, { reset: true })).body.text()
    try {
      const together = Array.from({ length: COUNT }, scraped)
      await held.reached
      // This response comes last, after all others.
      await request(`http://127.0.0.1:${port}/nothing`, { reset: true }).then(({ body }) => body.dump())
      held.open()
      const texts = await Promise.all(together)
      expect(new Set(texts).size).to.be.below(COUNT / 2)
      expect(await scraped()).to.equal(`made ${made}`)
      expect(texts).not.to.include(`made ${made}`)
    } finally {
      await service.stop()
    }
  })
})

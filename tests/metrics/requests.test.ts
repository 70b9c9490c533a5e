import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { connected } from '../http/transport-talk.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'

/** Requests, sent raw or by the client, and the series that must count each. */
const COUNTED: ReadonlyArray<
  readonly [method: string, path: string, token: string | undefined, labels: string]
> = [
  ['GET', '/healthz', undefined, 'method="GET",route="/healthz",status="200"'],
  ['HEAD', '/healthz', undefined, 'method="HEAD",route="/healthz",status="200"'],
  ['OPTIONS', '/healthz', undefined, 'method="OPTIONS",route="/healthz",status="204"'],
  ['GET', '/api/v1/profile?secret=1', undefined, 'method="GET",route="/api/v1/profile",status="401"'],
  ['POST', '/api/v1/profile', 'nonsense', 'method="POST",route="/api/v1/profile",status="401"'],
  ['DELETE', '/api/v1/profile', undefined, 'method="other",route="/api/v1/profile",status="405"'],
  ['PUT', '/api/v1/profile', undefined, 'method="other",route="/api/v1/profile",status="405"'],
  ['PATCH', '/api/v1/profile', undefined, 'method="other",route="/api/v1/profile",status="405"'],
  ['GET', '/a/secret/path', undefined, 'method="GET",route="unknown",status="404"'],
  ['GET', '/unknown', undefined, 'method="GET",route="unknown",status="404"'],
  ['MKCOL', '/other', undefined, 'method="other",route="unknown",status="404"'],
]

/** Requests that the parser of Node.js refuses, with their status. */
const REFUSED: ReadonlyArray<readonly [what: string, text: string, status: number]> = [
  ['rubbish', 'rubbish\r\n\r\n', 400],
  ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
]

describe('the metrics of requests', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const scraping = () => scrape(`http://127.0.0.1:${running.port}`)
  const requests = (labels: string) => `portcullis_http_requests_total{${labels}}`

  for (const [method, path, token, labels] of COUNTED) {
    it(`count ${method} ${path} as ${labels}`, async () => {
      const before = await scraping()
      const { status } = await running.send({ method, path, ...(token === undefined ? {} : { token }) })
      expect(labels).to.include(`status="${status}"`)
      const after = await scraping()
      const grown = (series: string) => (after.value(series) ?? 0) - (before.value(series) ?? 0)
      expect(grown(requests(labels))).to.equal(1)
      const duration = `portcullis_http_request_duration_seconds`
      const rest = labels.replace(/,status=.*/, '')
      expect(grown(`${duration}_count{${rest}}`)).to.equal(1)
      expect(grown(`${duration}_sum{${rest}}`)).to.be.above(0)
      expect(grown(`${duration}_bucket{le="+Inf",${rest}}`)).to.equal(1)
    })
  }

  for (const [what, text, status] of REFUSED) {
    it(`count what Node.js refuses: ${what}`, async () => {
      const series = requests(`method="unknown",route="unknown",status="${status}"`)
      const before = (await scraping()).value(series) ?? 0
      expect(await sendRaw(running.port, text)).to.include(`HTTP/1.1 ${status} `)
      expect((await scraping()).value(series)).to.equal(before + 1)
    })
  }

  it('count a client that disconnects inside its body as abandoned, not as a 503', async () => {
    const route = '/api/v1/auth/application/token'
    const leaving = connect(running.port, '127.0.0.1')
    leaving.write(`POST ${route} HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{`)
    await once(leaving, 'connect')
    leaving.end()
    leaving.resume()
    const counted = requests(`method="POST",route="${route}",status="abandoned"`)
    await eventually('it is counted', async () => (await scraping()).value(counted))
    const { value, series } = await scraping()
    expect(value(counted)).to.equal(1)
    expect(value(`portcullis_http_request_duration_seconds_count{method="POST",route="${route}"}`)).to.equal(
      1,
    )
    expect(series.filter((one) => one.includes('status="5'))).to.deep.equal([])
  })

  it('show the number of open connections, with or without requests', async () => {
    const open = async () => (await scraping()).value('portcullis_http_connections') ?? 0
    const before = await open() // an earlier connection may still be open
    const many = await Promise.all(Array.from({ length: 10 }, () => connected(running.port)))
    expect(await open()).to.be.at.least(before + 9)
    for (const { socket } of many) socket.destroy()
    await eventually('ten less', async () => ((await open()) <= before ? true : undefined))
  })
})

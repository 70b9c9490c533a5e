import { expect } from 'chai'
import * as fc from 'fast-check'
import { freePort } from '../support/command.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'

/** All allowed label values of requests. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other', 'unknown']
const ROUTES = [
  '/api/v1/auth/application/token',
  '/api/v1/auth/user/token',
  '/api/v1/users',
  '/api/v1/profile',
  '/api/v1/profile/change_password',
  '/.well-known/jwks.json',
  '/.well-known/paseto-keys.json',
  '/.well-known/user-jwks.json',
  '/oauth2/introspect',
  '/api/v1/log/checkpoint',
  '/api/v1/log/tile/{path}',
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  'unknown',
]

/** Marks every text that a client sends in this test. */
const MARK = 'canary7'

const marked = fc
  .string({ maxLength: 12 })
  .map((some) => encodeURIComponent(some.replaceAll(/\p{C}/gu, '')) + MARK)
const anyMethod = fc.constantFrom(
  'GET',
  'POST',
  'HEAD',
  'DELETE',
  'OPTIONS',
  'PUT',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
  MARK,
)
const anyPath = fc.oneof(
  marked.map((text) => `/${text}`),
  fc.tuple(fc.constantFrom(...ROUTES), marked).map(([route, text]) => `${route}/${text}`),
  fc.tuple(fc.constantFrom(...ROUTES), marked).map(([route, text]) => `${route}?${text}`),
  fc.tuple(fc.constantFrom(...ROUTES), marked).map(([route, text]) => `http://${text}${route}`),
  fc.constantFrom(...ROUTES).map((route) => route.toUpperCase()),
)
const anyHeader = fc
  .tuple(
    fc.constantFrom(
      'X-Request-Id',
      'Authorization',
      'Host',
      'Traceparent',
      'User-Agent',
      'X-Forwarded-For',
      MARK,
    ),
    marked,
  )
  .map(([name, value]) => `${name}: ${name === 'Authorization' ? `Bearer ${value}` : value}`)
const anyBody = fc.oneof(
  fc.constant(''),
  fc.tuple(marked, marked).map(([email, password]) => JSON.stringify({ email, password })),
)

describe('the labels of metrics', () => {
  let running: RunningService
  let metricsPort: number
  before(async () => {
    metricsPort = await freePort()
    running = await startService({ METRICS_PORT: String(metricsPort) })
  })
  after(() => running.stop())

  const exposed = async () => (await scrape(`http://127.0.0.1:${metricsPort}`)).series
  const routesIn = (series: ReadonlyArray<string>) => [
    ...new Set(series.map((one) => /route="([^"]*)"/.exec(one)?.[1] ?? 'unknown')),
  ]

  it('contain no client text in any request', async () => {
    const token = await running.applicationToken()
    await fc.assert(
      fc.asyncProperty(
        anyMethod,
        anyPath,
        fc.array(anyHeader, { maxLength: 3 }),
        anyBody,
        async (...sent) => {
          const [method, path, headers, body] = sent
          const json = body === '' ? [] : ['Content-Type: application/json']
          const tokens = headers.some((line) => line.startsWith('Auth'))
            ? []
            : [`Authorization: Bearer ${token}`]
          await sendRaw(running.port, requestText(method, path, [...tokens, ...json, ...headers], body))
          await sendRaw(metricsPort, requestText(method, path, headers, body))
        },
      ),
      { numRuns: 150 },
    )
    const series = await exposed()
    expect(series.filter((one) => one.includes(MARK))).to.deep.equal([])
    expect(ROUTES).to.include.members(routesIn(series))
    for (const one of series.filter((text) => text.startsWith('portcullis_http_requests_total'))) {
      const [, method, status] = /method="([^"]*)",route="[^"]*",status="(\d{3}|abandoned)"/.exec(one) ?? []
      expect(METHODS, one).to.include(method)
      if (status !== 'abandoned') expect(Number(status), one).to.be.within(200, 599)
    }
  })

  it('do not grow a scrape without limit: each method and route has one histogram for all statuses', async () => {
    for (const body of ['', '{', '[]', `{"x":"${'x'.repeat(17_000)}"}`])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
        for (const route of ROUTES.slice(0, 5))
          await sendRaw(running.port, requestText(method, route, [], body))
    const counts = (await exposed()).filter((one) =>
      one.startsWith('portcullis_http_request_duration_seconds_count'),
    )
    const labels = counts.map((one) => /^[^{]*\{method="[^"]*",route="[^"]*"\}/.exec(one)?.[0])
    expect(labels).to.not.include(undefined)
    expect(labels.length).to.be.at.least(10)
    expect(new Set(labels).size).to.equal(labels.length)
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(text.length).to.be.below(200_000)
  })

  it('stay the same series for the same requests with different texts', async () => {
    const send = async (word: string) => {
      for (const method of ['GET', 'POST', 'PUT', 'TRACE']) {
        for (const path of [
          `/${word}`,
          `/api/v1/profile?${word}`,
          `/api/v1/users/${word}`,
          '/api/v1/profile',
        ]) {
          await running.send({ method, path, headers: { 'x-request-id': word, 'user-agent': word } })
        }
      }
      await running.send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: await running.applicationToken(),
        body: { email: `${word}@example.com`, password: word },
      })
      await sendRaw(running.port, `${word}\r\n\r\n`)
      return (await exposed()).filter((one) => one.startsWith('portcullis_'))
    }
    const first = await send('first')
    for (const word of ['second', 'third', 'fourth']) expect(await send(word)).to.deep.equal(first)
  })
})

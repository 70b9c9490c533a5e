import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import type { TestRequest } from '../support/http-client.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { collectedSpans } from './collected-spans.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

describe('the spans of a request', () => {
  const { taken } = collectedSpans()
  let running: RunningService
  let applicationToken: string
  let userToken: string
  before(async () => {
    running = await startService({ PUBLIC_URL: 'https://auth.example.com' })
    applicationToken = await running.applicationToken()
    userToken = await running.userToken()
  })
  after(() => running.stop())

  /** The spans of one request. The span of the request itself comes first. */
  const spansOf = async (request: TestRequest): Promise<ReadonlyArray<ReadableSpan>> => {
    await eventually('all requests are done', async () => (taken().length === 0 ? true : undefined))
    await running.send(request)
    return taken()
  }
  const one = async (request: TestRequest): Promise<ReadableSpan> => {
    const [span, ...more] = await spansOf(request)
    if (span === undefined) throw new Error('no span')
    expect(more.map(({ name }) => name)).to.deep.equal([])
    return span
  }
  const signIn = (password = running.user.password): TestRequest => ({
    method: 'POST',
    path: '/api/v1/auth/user/token',
    token: applicationToken,
    body: { email: running.user.email, password },
    headers: { 'x-request-id': 'a-sign-in' },
  })

  it('are one for the request and one child for each operation that the response waits for', async () => {
    const [request, verify, commit, ...more] = await spansOf(signIn())
    expect(more).to.deep.equal([])
    expect([request, verify, commit].map((span) => span?.name)).to.deep.equal([
      'POST /api/v1/auth/user/token',
      'verify password',
      'commit',
    ])
    expect(request?.parentSpanContext).to.equal(undefined)
    const { traceId, spanId } = request?.spanContext() ?? {}
    for (const child of [verify, commit]) {
      expect(child?.parentSpanContext?.spanId).to.equal(spanId)
      expect(child?.spanContext().traceId).to.equal(traceId)
      expect(child?.kind).to.equal(SpanKind.INTERNAL)
      expect(child?.status.code).to.equal(SpanStatusCode.UNSET)
    }
    expect(request?.kind).to.equal(SpanKind.SERVER)
    expect(request?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.route': '/api/v1/auth/user/token',
      'http.response.status_code': 200,
      'url.scheme': 'https',
      'server.address': 'auth.example.com',
      'network.protocol.version': '1.1',
      'portcullis.request_id': 'a-sign-in',
    })
    expect(verify?.attributes).to.deep.equal({})
    expect(commit?.attributes).to.deep.equal({ 'portcullis.events': ['UserSignedIn'] })
  })

  it('include two hashes for a password change', async () => {
    const password = running.user.password
    const spans = await spansOf({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token: userToken,
      body: { old_password: password, new_password: password, new_password_check: password },
    })
    expect(spans.map(({ name }) => name)).to.deep.equal([
      'POST /api/v1/profile/change_password',
      'verify password',
      'hash password',
      'commit',
    ])
  })

  for (const [request, name, status] of [
    [{ method: 'GET', path: '/healthz' }, 'GET /healthz', 200],
    [{ method: 'HEAD', path: '/healthz' }, 'HEAD /healthz', 200],
    [{ method: 'GET', path: '/api/v1/profile?secret=1' }, 'GET /api/v1/profile', 401],
    [{ method: 'PUT', path: '/api/v1/profile' }, 'PUT /api/v1/profile', 405],
    [{ method: 'GET', path: '/a/secret/path' }, 'GET', 404],
    [{ method: 'MKCOL', path: '/a/secret/path' }, 'HTTP', 404],
    [{ method: 'MKCOL', path: '/healthz' }, 'HTTP /healthz', 405],
    [{ method: 'GET', path: '/healthz', headers: { host: 'a b' } }, 'GET', 400],
  ] as const) {
    it(`name ${request.method} ${request.path} ${name} and do not mark ${status} as an error`, async () => {
      const span = await one(request)
      expect(span.name).to.equal(name)
      expect(span.attributes['http.response.status_code']).to.equal(status)
      expect(span.attributes['http.route']).to.equal(name.split(' ')[1])
      expect(span.attributes['http.request.method']).to.equal(
        name.startsWith('HTTP') ? '_OTHER' : request.method,
      )
      expect(span.status.code).to.equal(SpanStatusCode.UNSET)
      expect(span.attributes).not.to.have.property('error.type')
    })
  }

  it('belong to the trace of the client', async () => {
    const request = { method: 'GET', path: '/healthz', headers: { traceparent: `00-${TRACE}-${PARENT}-01` } }
    const span = await one(request)
    expect(span.spanContext().traceId).to.equal(TRACE)
    expect(span.parentSpanContext).to.include({ spanId: PARENT, traceId: TRACE, isRemote: true })
  })

  for (const traceparent of [
    'nonsense',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
  ]) {
    it(`start a new trace without a valid traceparent: ${traceparent.slice(0, 60)}`, async () => {
      const span = await one({ method: 'GET', path: '/healthz', headers: { traceparent } })
      expect(span.parentSpanContext).to.equal(undefined)
      expect(span.spanContext().traceId).not.to.equal(TRACE)
    })
  }

  it('are not created when the client’s trace is not sampled', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-00`
    expect(await spansOf({ ...signIn(), headers: { traceparent } })).to.deep.equal([])
  })

  it('stay separate for concurrent requests', async () => {
    await spansOf({ method: 'GET', path: '/healthz' })
    await Promise.all(Array.from({ length: 8 }, () => running.send(signIn())))
    const spans = taken()
    const requests = spans.filter(({ kind }) => kind === SpanKind.SERVER)
    expect(requests).to.have.length(8)
    for (const request of requests) {
      const { spanId } = request.spanContext()
      const own = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)
      expect(own.map(({ name }) => name)).to.deep.equal(['verify password', 'commit'])
    }
  })

  it('leave out work after the response', async () => {
    const before = (await eventsOf(running.service.store, 'SignInRefused')).length
    const spans = await spansOf(signIn('wrong'))
    expect(spans.map(({ name }) => name)).to.deep.equal(['POST /api/v1/auth/user/token', 'verify password'])
    await eventually('the refusal is in the log', async () =>
      (await eventsOf(running.service.store, 'SignInRefused')).length > before ? true : undefined,
    )
    expect(taken()).to.deep.equal([])
  })
})

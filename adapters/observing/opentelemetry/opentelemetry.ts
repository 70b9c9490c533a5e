import type { IncomingHttpHeaders } from 'node:http'
import {
  type Attributes,
  context,
  isSpanContextValid,
  type ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { type Answered, NO_TRACING, type Tracing } from './tracing.ts'

/**
 * Spans for OpenTelemetry, made through its API alone: where no SDK is registered in the process by now, there are none, and they
 * cost nothing.
 *
 * No path, e-mail, token or header stands in any of them, but for the request id, and what a request says of its parent.
 *
 * @param publicUrl where clients reach the service
 */
export const openTelemetry = (version: string, publicUrl: string): Tracing => {
  const tracer = registeredTracer(version)
  if (tracer === undefined) return NO_TRACING
  const { protocol, hostname } = new URL(publicUrl)
  const place = { 'url.scheme': protocol.slice(0, -1), 'server.address': hostname }

  /** Work that an answer waits for. What goes on behind an answer belongs to no request any more. */
  const child = async <E extends Failure, A>(
    name: string,
    attributes: Attributes,
    work: () => Promise<Either<E, A>>,
  ): Promise<Either<E, A>> => {
    if (trace.getActiveSpan()?.isRecording() !== true) return work()
    const span = tracer.startSpan(name, { attributes })
    try {
      const outcome = await work()
      if (isLeft(outcome)) markAs(span, outcome.left)
      return outcome
    } catch (error) {
      failed(span, 'exception')
      throw error
    } finally {
      span.end()
    }
  }

  return {
    within: async (request, requestId, answer) => {
      const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : '_OTHER'
      const span = tracer.startSpan(
        nameOf(method),
        {
          kind: SpanKind.SERVER,
          attributes: {
            'http.request.method': method,
            'network.protocol.version': request.httpVersion,
            'portcullis.request_id': requestId,
            ...place,
          },
        },
        propagation.extract(context.active(), request.headers, HEADERS),
      )
      try {
        const how = await context.with(trace.setSpan(context.active(), span), answer)
        describe(span, method, how)
        return how
      } catch (error) {
        failed(span, 'exception')
        throw error
      } finally {
        span.end()
      }
    },

    store: (store) => ({
      commit: (change) => {
        const task = store.commit(change)
        return () => child('commit', { 'portcullis.events': change.events.map(({ type }) => type) }, task)
      },
      findApplication: (id) => store.findApplication(id),
      findTokenHolder: (applicationId, tokenId) => store.findTokenHolder(applicationId, tokenId),
      findUserByEmail: (email) => store.findUserByEmail(email),
      findSession: (id) => store.findSession(id),
      listSessions: (query) => store.listSessions(query),
      listPasswordSchemes: () => store.listPasswordSchemes(),
      listSigningKeys: () => store.listSigningKeys(),
      listRows: (query) => store.listRows(query),
      readEvents: (query) => store.readEvents(query),
      readEpoch: () => store.readEpoch(),
      renewEpoch: (entryOf) => store.renewEpoch(entryOf),
      checkWritable: () => store.checkWritable(),
      close: () => store.close(),
    }),

    passwordHasher: (hasher) => ({
      hash: (password, request) => () => child('hash password', {}, hasher.hash(password, request)),
      verify: (password, record, request) => () =>
        child('verify password', {}, hasher.verify(password, record, request)),
      verifyMs: (scheme) => hasher.verifyMs(scheme),
      assess: (record) => hasher.assess(record),
    }),

    ids: () => {
      const span = trace.getActiveSpan()?.spanContext()
      return span === undefined || !isSpanContextValid(span)
        ? {}
        : { trace_id: span.traceId, span_id: span.spanId }
    },
  }
}

/**
 * The tracer of the SDK. What is registered may be of another copy of the API, so that it is known by what it does: until there is
 * an SDK, it stands for one.
 */
const registeredTracer = (version: string): Tracer | undefined => {
  const provider: TracerProvider & Partial<Pick<ProxyTracerProvider, 'getDelegateTracer'>> =
    trace.getTracerProvider()
  return provider.getDelegateTracer === undefined
    ? provider.getTracer('portcullis', version)
    : provider.getDelegateTracer('portcullis', version)
}

/** What the conventions call a method; every other one is the same to them. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
])

const nameOf = (method: string, route?: string): string => {
  const verb = method === '_OTHER' ? 'HTTP' : method
  return route === undefined ? verb : `${verb} ${route}`
}

const describe = (span: Span, method: string, { route, status }: Answered): void => {
  if (route !== undefined) span.updateName(nameOf(method, route)).setAttribute('http.route', route)
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) failed(span, String(status)) // below that it is the client's failure, and no error here
}

type Failure = Readonly<{ _tag: string }>

/** A refusal is an outcome like any other, and no error. */
const markAs = (span: Span, { _tag }: Failure): void => {
  if (ERRORS.has(_tag)) failed(span, _tag)
  else span.setAttribute('portcullis.outcome', _tag)
}

const ERRORS: ReadonlySet<string> = new Set(['StoreUnavailable', 'Overloaded'])

const failed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

/** Of what a propagator asks for: several lines of one header are none, for nobody knows which is meant. */
const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
}

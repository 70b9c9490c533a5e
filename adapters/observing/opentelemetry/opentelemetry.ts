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
 * Spans through the API of OpenTelemetry. If no SDK is registered when this is called, there are no spans and no cost.
 *
 * Spans contain no path, e-mail, token or header, except the request id and the parent that the request names.
 *
 * @param publicUrl the URL at which clients reach the service
 */
export const openTelemetry = (version: string, publicUrl: string): Tracing => {
  const tracer = registeredTracer(version)
  if (tracer === undefined) return NO_TRACING
  const { protocol, hostname } = new URL(publicUrl)
  const place = { 'url.scheme': protocol.slice(0, -1), 'server.address': hostname }

  /** A span for work that a response waits for. Work after the response has no active span, and gets none. */
  const child = async <E extends Failure, A>(
    name: string,
    attributes: Attributes,
    work: () => Promise<Either<E, A>>,
  ): Promise<Either<E, A>> => {
    if (trace.getActiveSpan()?.isRecording() !== true) return work()
    const span = tracer.startSpan(name, { attributes })
    try {
      const outcome = await work()
      if (isLeft(outcome)) describeFailure(span, outcome.left)
      return outcome
    } catch (error) {
      markFailed(span, 'exception')
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
        const answered = await context.with(trace.setSpan(context.active(), span), answer)
        describeResponse(span, method, answered)
        return answered
      } catch (error) {
        markFailed(span, 'exception')
        throw error
      } finally {
        span.end()
      }
    },

    store: [
      {
        commit: (change, task) => () =>
          child('commit', { 'portcullis.events': change.events.map(({ type }) => type) }, task),
      },
    ],

    passwordHasher: [
      (operation, hashing) => (request) => () => child(`${operation} password`, {}, hashing(request)),
    ],

    ids: () => {
      const span = trace.getActiveSpan()?.spanContext()
      return span === undefined || !isSpanContextValid(span)
        ? {}
        : { trace_id: span.traceId, span_id: span.spanId }
    },
  }
}

/**
 * The tracer of the registered SDK. The provider may come from another copy of the API, so that `instanceof` does not work: a
 * proxy provider is recognized by its method, and has no delegate until an SDK is registered.
 */
const registeredTracer = (version: string): Tracer | undefined => {
  const provider: TracerProvider & Partial<Pick<ProxyTracerProvider, 'getDelegateTracer'>> =
    trace.getTracerProvider()
  return provider.getDelegateTracer === undefined
    ? provider.getTracer('portcullis', version)
    : provider.getDelegateTracer('portcullis', version)
}

/** The methods of the semantic conventions of OpenTelemetry. All others are `_OTHER`. */
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

const describeResponse = (span: Span, method: string, { route, status }: Answered): void => {
  if (route !== undefined) span.updateName(nameOf(method, route)).setAttribute('http.route', route)
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) markFailed(span, String(status)) // a 4xx is an error of the client
}

type Failure = Readonly<{ _tag: string }>

/** A refusal, such as a conflict, is an outcome and not an error. */
const describeFailure = (span: Span, { _tag }: Failure): void => {
  if (ERRORS.has(_tag)) markFailed(span, _tag)
  else span.setAttribute('portcullis.outcome', _tag)
}

const ERRORS: ReadonlySet<string> = new Set(['StoreUnavailable', 'Overloaded'])

const markFailed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

/** Reads the request headers for a propagator. Node.js joins duplicates by commas, so that a duplicate `traceparent` is ignored. */
const HEADERS: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
}

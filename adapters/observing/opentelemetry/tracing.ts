import type { IncomingMessage } from 'node:http'
import type { HasherObserver } from '../instrumentation/password-hasher.ts'
import type { StoreObserver } from '../instrumentation/store.ts'

/** Records how the time of each request was spent. It changes no outcome. */
export type Tracing = Readonly<{
  /** Answers a request within a server span. Its parent is the span that the request names. */
  within<How extends Answered>(
    request: IncomingMessage,
    requestId: string,
    answer: () => Promise<How>,
  ): Promise<How>
  /** None while tracing is off. */
  store: ReadonlyArray<StoreObserver>
  passwordHasher: ReadonlyArray<HasherObserver>
  /** The ids of the active span as a new object, for the log; an empty object without an active span. */
  ids: (() => SpanIds | Record<never, never>) | undefined
}>

/** `route` is the pattern of the route; undefined without a route. */
export type Answered = Readonly<{ method: string; route: string | undefined; status: number }>

export type SpanIds = Readonly<{ trace_id: string; span_id: string }>

export const NO_TRACING: Tracing = {
  within: (_request, _requestId, answer) => answer(),
  store: [],
  passwordHasher: [],
  ids: undefined,
}

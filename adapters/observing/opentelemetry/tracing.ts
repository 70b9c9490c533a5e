import type { IncomingMessage } from 'node:http'
import type { PasswordHasher } from '../../../application/ports/password-hasher.ts'
import type { Store } from '../../../application/ports/store.ts'

/** Tells of each request how its time was spent. What it is put around does the same as before. */
export type Tracing = Readonly<{
  /** Answers a request within a span of its own, whose parent is the one the request names. */
  within<How extends Answered>(
    request: IncomingMessage,
    requestId: string,
    answer: () => Promise<How>,
  ): Promise<How>
  store(store: Store): Store
  passwordHasher(hasher: PasswordHasher): PasswordHasher
  /** Of the span that is active here, for the log: an object of one's own, empty where there is none. */
  ids: (() => SpanIds | Record<never, never>) | undefined
}>

/** `route` is the pattern of a route, and absent where there is none. */
export type Answered = Readonly<{ method: string; route: string | undefined; status: number }>

export type SpanIds = Readonly<{ trace_id: string; span_id: string }>

/** Tells nothing. */
export const NO_TRACING: Tracing = {
  within: (_request, _requestId, answer) => answer(),
  store: (store) => store,
  passwordHasher: (hasher) => hasher,
  ids: undefined,
}

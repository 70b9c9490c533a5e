import type { IncomingMessage } from 'node:http'

/** The outcome of a request. `route` is its pattern, never the path of the client; absent if no route matched. */
export type Answered = Readonly<{ method: string; route: string | undefined; status: number }>

/** Receives what the server does. It changes no response and does not throw. */
export type Observer = Readonly<{
  /**
   * Handles a request within a context of the observer, such as a trace span.
   *
   * @param answer must be called once, synchronously; its result must be returned
   */
  within(request: IncomingMessage, requestId: string, answer: () => Promise<Answered>): Promise<Answered>
  /** The server answered a request after so many seconds, or its client had disconnected. */
  answered(how: Omit<Answered, 'status'> & Readonly<{ status: number | 'abandoned' }>, seconds: number): void
  /** Node's parser refused a request. */
  refused(status: number): void
  /** A connection was opened. */
  connected(): void
  /** A connection was closed. */
  disconnected(): void
}>

export const NO_OBSERVER: Observer = {
  within: (_request, _requestId, answer) => answer(),
  answered: () => {},
  refused: () => {},
  connected: () => {},
  disconnected: () => {},
}

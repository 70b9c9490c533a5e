import type { IncomingMessage } from 'node:http'

/** How a request was answered. `route` is its pattern, and absent where there is none: never the path that a client wrote. */
export type Answered = Readonly<{ method: string; route: string | undefined; status: number }>

/** Looks on. It changes no answer and does not throw. */
export type Observer = Readonly<{
  /**
   * Has a request answered within whatever it keeps about it, a span say.
   *
   * @param answer is called once and at once, and what it resolves with is passed on
   */
  within(request: IncomingMessage, requestId: string, answer: () => Promise<Answered>): Promise<Answered>
  /** A request was answered with so many seconds of work, or its client had gone. */
  answered(how: Omit<Answered, 'status'> & Readonly<{ status: number | 'abandoned' }>, seconds: number): void
  /** This was said to something that Node's parser took for no request. */
  refused(status: number): void
  /** There is one more connection, or one less. */
  connected(): void
  disconnected(): void
}>

/** Nobody looks on. */
export const NOBODY: Observer = {
  within: (_request, _requestId, answer) => answer(),
  answered: () => {},
  refused: () => {},
  connected: () => {},
  disconnected: () => {},
}

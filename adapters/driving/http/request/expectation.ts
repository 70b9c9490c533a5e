import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Requests whose clients wait for a 100 (RFC 9110 §10.1.1). Without it Node ends the connection behind the answer, because the body
 * may come or not.
 */
const heldBack = new WeakMap<IncomingMessage, ServerResponse>()

/** The client sends the body of this request when it is asked. */
export const holdBackUntilAsked = (request: IncomingMessage, response: ServerResponse): void => {
  heldBack.set(request, response)
}

/** Asks the client for the body, if it waits for that. */
export const askForBody = (request: IncomingMessage): void => {
  if (request.headers.expect === undefined) return
  heldBack.get(request)?.writeContinue()
  heldBack.delete(request)
}

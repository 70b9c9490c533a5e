import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Requests whose clients wait for a 100 response (RFC 9110 §10.1.1). Without it, Node closes the connection after the response,
 * because it cannot tell whether the body follows.
 */
const deferred = new WeakMap<IncomingMessage, ServerResponse>()

/** Delays the 100 response until `sendContinue`. */
export const deferContinue = (request: IncomingMessage, response: ServerResponse): void => {
  deferred.set(request, response)
}

/** Sends the 100 response if the client waits for it. */
export const sendContinue = (request: IncomingMessage): void => {
  if (request.headers.expect === undefined) return
  deferred.get(request)?.writeContinue()
  deferred.delete(request)
}

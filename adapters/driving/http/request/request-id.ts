import type { IncomingMessage } from 'node:http'

/** The request id a client, or whoever stands in front, has given; a new one where it is unfit for a log. */
export const requestIdOf = (request: IncomingMessage, make: () => string): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : make()
}

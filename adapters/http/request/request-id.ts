import type { IncomingMessage } from 'node:http'

/** The `X-Request-Id` of the request; a new id if it is absent or unsafe to log (docs/contract.md §1.11). */
export const requestIdOf = (request: IncomingMessage, make: () => string): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : make()
}

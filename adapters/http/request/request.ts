import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Deadline } from './deadline.ts'

/** A request whose route is known. */
export type Request = Readonly<{
  message: IncomingMessage
  context: RequestContext
  deadline: Deadline
  /** Returns the query as sent. It may contain a token, so it must not reach the log. The URL of `message` has none. */
  query: () => string
  /** Returns the rest of the path as sent, if the route is a prefix. Nothing in it is decoded, and it must not reach the log. */
  subpath: () => string
}>

/** The request violates HTTP, or the syntax that an operation requires. */
export type MalformedRequest = Readonly<{ _tag: 'MalformedRequest'; message: string }>

export const malformed = (message: string): MalformedRequest => ({ _tag: 'MalformedRequest', message })

/** The `X-Request-Id` of the request; a new id if it is absent or unsafe to log (docs/contract.md §1.11). */
export const requestIdOf = (request: IncomingMessage, make: () => string): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : make()
}

/**
 * The path of a request target as sent, without query, scheme and authority (RFC 9112 §3.2). Paths are exact, so nothing is decoded
 * or normalized. A target has no fragment, so `#` is part of the path.
 */
export const pathOf = (target: string): string => {
  if (/^\/[^?#]*$/.test(target)) return target
  const [path = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').split('?')
  return path === '' ? '/' : path.replaceAll('#', '%23')
}

/** The query of a request target as sent, without the question mark. */
export const queryOf = (target: string): string => {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/** The request has no Bearer token. */
export type NoToken = Readonly<{ _tag: 'NoToken' }>

/**
 * The token of the header `Authorization: Bearer <token>`, with the scheme in any case (RFC 6750 §2.1, docs/contract.md §1.5). A
 * malformed token is returned as an empty one, which is invalid.
 */
export const bearerToken = (request: IncomingMessage): E.Either<NoToken, string> => {
  const match = BEARER.exec(request.headers.authorization ?? '')
  return match === null ? E.left({ _tag: 'NoToken' }) : E.right(match[1] ?? '')
}

/** The last alternative is a malformed token. */
const BEARER = /^bearer(?:$| +([A-Z0-9\-._~+/]+=*) *$| )/i

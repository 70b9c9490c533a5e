import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'

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

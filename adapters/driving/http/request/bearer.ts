import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'

/** The request has no Bearer token. */
export type NoToken = Readonly<{ _tag: 'NoToken' }>

/**
 * The token of the header `Authorization: Bearer <token>`, with the scheme in any case (RFC 6750 §2.1, docs/contract.md §1.5). A
 * malformed token is returned as an empty one, which is invalid.
 */
export const bearerToken = (request: IncomingMessage): E.Either<NoToken, string> => {
  const header = request.headers.authorization
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return E.left({ _tag: 'NoToken' })
  return E.right(B64TOKEN.exec(header.slice('bearer'.length))?.[1] ?? '')
}

const B64TOKEN = /^ +([A-Za-z0-9\-._~+/]+=*) *$/

import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { InvalidToken } from '../../application/ports/token-format.ts'

/** There is no Bearer token at all. */
export type NoToken = Readonly<{ _tag: 'NoToken' }>

/**
 * The token of an `Authorization: Bearer <token>` header (RFC 6750 §2.1), the scheme in any case. Tokens come from
 * nowhere else. Another scheme is no token; what follows `Bearer` and cannot be one is an invalid token.
 */
export const bearerToken = (request: IncomingMessage): E.Either<NoToken | InvalidToken, string> => {
  const header = request.headers.authorization
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return E.left({ _tag: 'NoToken' })
  const token = B64TOKEN.exec(header.slice('bearer'.length))?.[1]
  return token === undefined ? E.left({ _tag: 'InvalidToken' }) : E.right(token)
}

const B64TOKEN = /^ +([A-Za-z0-9\-._~+/]+=*) *$/

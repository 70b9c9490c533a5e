import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'

/** There is no Bearer token at all. */
export type NoToken = Readonly<{ _tag: 'NoToken' }>

/**
 * The token of an `Authorization: Bearer <token>` header (RFC 6750 §2.1), the scheme in any case. Tokens come from
 * nowhere else. Another scheme is no token; where what follows `Bearer` cannot be one, an empty one stands for it, which is
 * as invalid as any.
 */
export const bearerToken = (request: IncomingMessage): E.Either<NoToken, string> => {
  const header = request.headers.authorization
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return E.left({ _tag: 'NoToken' })
  return E.right(B64TOKEN.exec(header.slice('bearer'.length))?.[1] ?? '')
}

const B64TOKEN = /^ +([A-Za-z0-9\-._~+/]+=*) *$/

import { isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { FindClient } from '../../../application/openid/clients.ts'
import { isPageOfClient } from '../../../domain/redirect-uris.ts'
import { clientNamedIn } from '../oauth/client.ts'
import { withResponseHeaders } from '../operation/cross-origin.ts'
import type { OperationSpec } from '../operation/operation.ts'
import { methodsOf, type Route } from '../operation/route.ts'
import { bearerToken, type Request } from '../request/request.ts'
import { unverifiedClaim } from './unverified-claim.ts'

type Headers = Readonly<Record<string, string>>

/**
 * A page may read the responses if its origin has a redirect URI of the public client that the request names. The request needs no proof of that:
 * the browser tells the origin, and a page of the client may read what concerns the client.
 */
export const forPagesOfClients =
  (findClient: FindClient) =>
  (route: Route): Route => ({
    ...withResponseHeaders(route, OF_CLIENT, async (request, { status }) => ({
      ...VARY,
      // Of a store that does not answer, nothing more is asked.
      ...(status !== 503 && (await isFromClient(findClient, request)) && readableBy(originOf(request))),
    })),
    // A preflight names no client, so every page may send the request. It reads the response only as above.
    preflight: (message) => ({
      ...VARY,
      ...(isOfWeb(message.headers.origin) && {
        'Access-Control-Allow-Origin': message.headers.origin,
        'Access-Control-Allow-Methods': methodsOf(route).join(', '),
        'Access-Control-Allow-Headers': 'authorization, content-type',
        'Access-Control-Max-Age': '7200', // browsers keep it no longer
      }),
    }),
  })

const VARY = { Vary: 'Origin' }

const readableBy = (origin: string): Headers => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': 'Retry-After, WWW-Authenticate, X-Request-Id',
})

const originOf = ({ message }: Pick<Request, 'message'>): string => message.headers.origin ?? ''

/** A page without an origin of its own sends `null`. */
const isOfWeb = (origin: string | undefined): origin is string =>
  origin !== undefined && /^https?:\/\/[\w.:[\]-]+$/.test(origin)

const isFromClient = async (findClient: FindClient, request: Request): Promise<boolean> => {
  const origin = originOf(request)
  if (!isOfWeb(origin)) return false
  const id = clientNamedIn(request.message)?.replace(/^pk_/, '') ?? clientOfToken(request)
  if (id === undefined) return false
  const client = await findClient(id)()
  return isRight(client) && isSome(client.right) && isPageOfClient(client.right.value, origin)
}

/** The token may have expired: the page must be able to read that. */
const clientOfToken = ({ message }: Request): string | undefined => {
  const token = bearerToken(message)
  return isRight(token) ? unverifiedClaim(token.right, 'client_id') : undefined
}

const OF_CLIENT: NonNullable<OperationSpec['responseHeaders']> = {
  'Access-Control-Allow-Origin': {
    description:
      'The origin of the request, if the request names a public client that has a redirect URI of this origin.',
    schema: { type: 'string' },
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that a script may read.',
    schema: { type: 'string' },
  },
  Vary: {
    description: 'The response depends on the origin.',
    schema: { type: 'string', enum: [VARY.Vary] },
  },
}

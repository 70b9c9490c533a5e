import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import { networkOf } from './address.ts'
import { type MalformedRequest, malformed } from './malformed.ts'
import type { Request } from './request.ts'

/** The address of the end user, for whom an application sends the request (docs/contract.md §1.9). */
export const END_USER_ADDRESS = 'X-End-User-Address'

/**
 * The context of the request, with the network of `X-End-User-Address` if the request has this header. Node joins repeated lines, so
 * that they are no address.
 */
export const withEndUserAddress = ({
  message,
  context,
}: Request): E.Either<MalformedRequest, RequestContext> => {
  const { [END_USER_ADDRESS.toLowerCase()]: sent } = message.headers
  if (sent === undefined) return E.right(context)
  const endUserAddress = typeof sent === 'string' && isIP(sent) !== 0 ? networkOf(sent) : undefined
  return endUserAddress === undefined
    ? E.left(malformed(`${END_USER_ADDRESS} must be one IPv4 or IPv6 address.`))
    : E.right({ ...context, endUserAddress })
}

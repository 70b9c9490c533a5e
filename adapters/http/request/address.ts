import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import ipaddr from 'ipaddr.js'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import { type MalformedRequest, malformed, type Request } from './request.ts'

/**
 * The network of the client: an IPv4 address, or the first 64 bits of an IPv6 address, because one subscriber has all addresses of
 * these bits. Undefined for a connection that is not a socket.
 *
 * Each proxy appends its client to `X-Forwarded-For`. Only the entries of the trusted proxies, the last ones, can be believed.
 */
export const addressOf = (request: IncomingMessage, trustedProxies: number): string | undefined => {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return undefined
  const forwarded = trustedProxies > 0 ? (request.headers['x-forwarded-for'] ?? '') : ''
  // Node joins repeated lines of this header.
  const believed = String(forwarded).split(',').slice(-trustedProxies)
  return networkOf(believed[0]?.trim() ?? '') ?? networkOf(peer)
}

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

/** The network of an address, or undefined if the text is not an IPv4 or IPv6 address. */
const networkOf = (text: string): string | undefined => {
  // A zone (fe80::1%br-lan) names a local interface, not the client. The library does not accept every zone.
  const [written = ''] = text.split('%')
  if (isIP(written) === 0) return undefined // the library also accepts 127.1 and 0x7f000001
  const address = ipaddr.process(written) // converts IPv4-mapped IPv6 addresses to IPv4
  return address.kind() === 'ipv6'
    ? address.toByteArray().slice(0, NETWORK_BYTES).join('.')
    : address.toString()
}

const NETWORK_BYTES = 8

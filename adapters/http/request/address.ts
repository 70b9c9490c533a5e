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
 *
 * @param onUnreadable is called if the entry is no address, so that the address of the proxy counts
 */
export const addressOf = (
  request: IncomingMessage,
  trustedProxies: number,
  onUnreadable: () => void = () => undefined,
): string | undefined => {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return undefined
  const forwarded = trustedProxies > 0 ? (request.headers['x-forwarded-for'] ?? '') : ''
  // Node joins repeated lines of this header. Empty elements of a list do not count (RFC 9110 §5.6.1.2).
  const entries = String(forwarded).split(',').map(trimmed).filter(isNotEmpty)
  const [believed] = entries.slice(-trustedProxies)
  if (believed === undefined) return networkOf(peer)
  const network = networkOf(nodeNameIn(believed))
  if (network === undefined) onUnreadable()
  return network ?? networkOf(peer)
}

const trimmed = (text: string): string => text.trim()
const isNotEmpty = (text: string): boolean => text !== ''

/**
 * The address in an entry, without its quotes, brackets and port (`node` of RFC 7239 §6). Some proxies and load balancers append the port
 * of their client. Without brackets, an IPv6 address has no port.
 */
const nodeNameIn = (entry: string): string => {
  const { v4, v6 } = NODE.exec(entry)?.groups ?? {}
  return v4 ?? v6 ?? entry
}

const PORT = String.raw`(?::(?:\d{1,5}|_[\w.-]+))?`
const NODE = new RegExp(
  String.raw`^(?<quote>"?)(?:(?<v4>[\d.]+)|\[(?<v6>[^[\]":]*:[^[\]"]+)\])${PORT}\k<quote>$`,
)

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
  if (address instanceof ipaddr.IPv4) return address.toString()
  const bytes = address.toByteArray()
  return (address.match(NAT64) ? bytes.slice(-IPV4_BYTES) : bytes.slice(0, NETWORK_BYTES)).join('.')
}

/** All IPv4 clients of a NAT64 have the same first 64 bits (RFC 6052 §2.1). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const IPV4_BYTES = 4
const NETWORK_BYTES = 8

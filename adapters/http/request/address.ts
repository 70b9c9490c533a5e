import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

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

/** The network of an address, or undefined if the text is not an IPv4 or IPv6 address. */
export const networkOf = (text: string): string | undefined => {
  // A zone (fe80::1%br-lan) names a local interface, not the client. The library does not accept every zone.
  const [written = ''] = text.split('%')
  if (isIP(written) === 0) return undefined // the library also accepts 127.1 and 0x7f000001
  const address = ipaddr.process(written) // converts IPv4-mapped IPv6 addresses to IPv4
  return address.kind() === 'ipv6'
    ? address.toByteArray().slice(0, NETWORK_BYTES).join('.')
    : address.toString()
}

const NETWORK_BYTES = 8

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Where a request comes from, as far as callers are told apart by it: an IPv4 address, or the first 64 bits of an IPv6 one,
 * for whoever has one of those has all behind it. None for a connection that is no socket.
 *
 * Each proxy appends to `X-Forwarded-For` whom it was asked by. What the last ones wrote, as many as stand in front, can be
 * believed; whatever stands before that a client may have made up.
 */
export const addressOf = (request: IncomingMessage, trustedProxies: number): string | undefined => {
  const asker = request.socket.remoteAddress
  if (asker === undefined) return undefined
  const forwarded = trustedProxies > 0 ? (request.headers['x-forwarded-for'] ?? '') : ''
  // Node joins several lines of this header to one.
  const believed = String(forwarded).split(',').slice(-trustedProxies)
  return networkOf(believed[0]?.trim() ?? '') ?? networkOf(asker)
}

const networkOf = (text: string): string | undefined => {
  // On which interface a neighbour was seen (fe80::1%br-lan) is no part of who it is, and the library does not take every name.
  const [written = ''] = text.split('%')
  if (isIP(written) === 0) return undefined // the library also takes 127.1 and 0x7f000001
  const address = ipaddr.process(written) // an IPv4 address in IPv6's clothes is one
  return address.kind() === 'ipv6'
    ? address.toByteArray().slice(0, NETWORK_BYTES).join('.')
    : address.toString()
}

const NETWORK_BYTES = 8

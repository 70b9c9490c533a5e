import type { IncomingMessage } from 'node:http'
import { errorResponse, type HttpResponse } from '../operation/response.ts'
import {
  LAST,
  MAX_HEADER_LINES,
  TOO_MANY_HEADER_LINES,
  UNSUPPORTED_EXPECT,
} from '../operation/server-errors.ts'

/**
 * The response to invalid header lines, or undefined (docs/wire.md §2 and §3). Of repeated lines Node shows only the first, or joins
 * them. A proxy may have read another one, so repeated lines are refused.
 */
export const validateHeaders = (request: IncomingMessage): HttpResponse | undefined => {
  const { httpVersion, rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return errorResponse(400, 'The request is neither HTTP/1.1 nor HTTP/1.0.', LAST)
  }
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) {
    return TOO_MANY_HEADER_LINES
  }
  const { host, expect = '100-continue', 'transfer-encoding': coding } = request.headers
  // Node would ignore an unknown coding, while a proxy may see another end of the body (request smuggling).
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return errorResponse(400, 'Transfer-Encoding must be chunked, and requires HTTP/1.1.', LAST)
  }
  const repeated = repeatedHeader(request)
  if (repeated !== undefined) return errorResponse(400, `The request has more than one ${repeated} header.`)
  if (host === undefined && httpVersion === '1.1')
    return errorResponse(400, 'The request has no host header.')
  if (host !== undefined && !HOST.test(host)) return errorResponse(400, 'The host header is invalid.')
  if (expect.toLowerCase() !== '100-continue') {
    return UNSUPPORTED_EXPECT
  }
  return undefined
}

/** The name of a header that may appear at most once, but appears again. */
const repeatedHeader = ({ rawHeaders, headers }: IncomingMessage): string | undefined => {
  let names = 0
  for (const _name in headers) names += 1
  if (2 * names === rawHeaders.length) return undefined // most requests repeat none
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (SINGLE.has(name) && seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** Headers that may appear at most once. */
const SINGLE = new Set(['host', 'authorization', 'content-type', 'content-length', 'content-encoding'])

/** RFC 9110 §7.2: `uri-host [ ":" port ]`. It may be empty (RFC 9112 §3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::\d*)?$/

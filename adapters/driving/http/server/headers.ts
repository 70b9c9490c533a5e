import type { IncomingMessage } from 'node:http'
import { type Answer, failed } from '../operation/answer.ts'

/** As many header lines as a request may have (interface §1). */
export const MAX_HEADER_LINES = 100

/**
 * What is wrong with the header lines as they came, before anything is read from them. Node shows the first of
 * several lines in `headers` or joins them, and whoever stands in front of the service may have looked at the other one.
 */
export const validateHeaders = (request: IncomingMessage): Answer | undefined => {
  const { httpVersion, rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return failed(400, 'The request is neither HTTP/1.1 nor HTTP/1.0.', LAST)
  }
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) {
    return TOO_MANY_HEADER_LINES
  }
  const { host = '', expect = '100-continue', 'transfer-encoding': coding } = request.headers
  // Node would read past what it does not know and take the rest for plain, where others may see another end of the body.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return failed(400, 'The only transfer coding that can be read is chunked, in HTTP/1.1.', LAST)
  }
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) return failed(400, `The request has several ${name} headers.`)
    seen.add(name)
  }
  if (httpVersion === '1.1' && !seen.has('host')) return failed(400, 'The request has no host header.')
  if (!HOST.test(host)) return failed(400, 'The host header is no host.')
  if (expect.toLowerCase() !== '100-continue') {
    return UNMET_EXPECTATION
  }
  return undefined
}

/** Ends the connection: what comes behind the request may not be what it looks like. */
const LAST = { Connection: 'close' }

export const TOO_MANY_HEADER_LINES = failed(
  431,
  `The request has more than ${MAX_HEADER_LINES} header lines.`,
  LAST,
)

export const UNMET_EXPECTATION = failed(417, 'The only expectation that can be met is 100-continue.', LAST)

const SINGLE = new Set(['host', 'authorization', 'content-type', 'content-length', 'content-encoding'])

/** RFC 9110 §7.2: `uri-host [ ":" port ]`. It may be empty (RFC 9112 §3.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::\d*)?$/

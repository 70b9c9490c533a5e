/** One response as received, with its body as text. */
export type StrictAnswer = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  /** The whole response. */
  text: string
}>

/** Whether a response answers a HEAD, by its place on the connection. Unknown for an incomplete request. */
export type IsHead = (index: number) => boolean | 'perhaps'

/**
 * All responses on one connection, parsed as strictly as RFC 9112 allows. Anything that may confuse a client
 * is an error. Interim responses (1xx) are left out.
 *
 * @returns the complete responses, and the remaining bytes
 * @throws Error if it is not HTTP/1.1
 */
export const strictAnswers = (
  text: string,
  isHead: IsHead,
): Readonly<{ answers: ReadonlyArray<StrictAnswer>; rest: string }> => {
  const answers: Array<StrictAnswer> = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? broken('a status line', statusLine))
    const headers = headersIn(lines)
    const start = end + 4
    if (status < 200) {
      rest = rest.slice(start)
      continue
    }
    const head = isHead(answers.length)
    const isEmpty = head === true || (head === 'perhaps' && isOverAt(rest, start))
    const needsNoLength =
      status === 204 || status === 304 || (isEmpty && isRedirectWithoutLength(status, headers))
    const length = needsNoLength ? withoutBody(headers) : lengthIn(headers)
    const stop = isEmpty ? start : start + length
    if (rest.length < stop) break
    answers.push({ status, headers, body: rest.slice(start, stop), text: rest.slice(0, stop) })
    rest = rest.slice(stop)
  }
  return { answers, rest }
}

/** Whether the next response begins here, or there is none. No body begins like a response. */
const isOverAt = (text: string, start: number): boolean =>
  text.length === start || text.startsWith('HTTP/1.1 ', start)

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]+$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/

const headersIn = (lines: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? broken('a header', line)
    const key = name?.toLowerCase() ?? ''
    // RFC 9110 §5.3: only this one may be repeated, one line for each cookie.
    if (Object.hasOwn(headers, key) && key !== 'set-cookie') broken('a header that stands alone', line)
    headers[key] = [headers[key], value].filter((one) => one !== undefined).join('\n')
  }
  return headers
}

const lengthIn = (headers: Readonly<Record<string, string>>): number => {
  const length = headers['content-length'] ?? ''
  if ('transfer-encoding' in headers || !/^(?:0|[1-9]\d*)$/.test(length))
    broken('a length', JSON.stringify(headers))
  return Number(length)
}

/** RFC 9110 §8.6: a response to HEAD may omit the length. Only a redirect, which has no body, does so here. */
const isRedirectWithoutLength = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  status === 303 && !('content-length' in headers)

/** RFC 9110 §8.6: a 204 has no Content-Length. A 304 may state the length of the body, and does not here. */
const withoutBody = (headers: Readonly<Record<string, string>>): number =>
  'content-length' in headers || 'transfer-encoding' in headers
    ? broken('a 204 or 304', JSON.stringify(headers))
    : 0

const broken = (what: string, text: string): never => {
  throw new Error(`not ${what}: ${JSON.stringify(text)}`)
}

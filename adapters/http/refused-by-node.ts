import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type Answer, failed, HEADERS_EVERYWHERE } from './answer.ts'

/** Gives what Node's parser or server refuses before the application sees it the same envelope and log line. */
export const answerWhatNodeRefuses = (server: Server, log: Logger, makeId: () => string): void => {
  const exchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()
  const refused = new WeakSet<Duplex>()

  const refuse = (socket: Duplex, answer: Answer): void => {
    if (refused.has(socket)) return
    refused.add(socket)
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const requestId = makeId()
    log.info({ request_id: requestId, status: answer.status, cause: answer.cause }, 'refused')
    socket.end(onTheWire(answer, requestId))
    // What the client still sends is read and dropped for a while: a reset would take the answer from it.
    socket.resume()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  server.on('request', (request, response) => exchanges.set(request.socket, { request, response }))

  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const exchange = exchanges.get(socket)
    if (exchange === undefined || exchange.response.writableFinished) {
      refuse(socket, answerToError(error.code))
    } else if (exchange.request.complete) {
      // The request before was fine and is still being answered; this one's answer comes after it.
      exchange.response.once('close', () => refuse(socket, answerToError(error.code)))
    } else if (exchange.response.headersSent) {
      socket.destroy()
    } else {
      refuse(socket, answerToError(error.code))
    }
  })

  server.on('connect', (_request, socket) =>
    refuse(socket, failed(405, 'This service is no proxy.', { Allow: 'GET, HEAD, POST, DELETE, OPTIONS' })),
  )

  server.on('checkExpectation', (request, _response) =>
    refuse(request.socket, failed(417, 'The only expectation that can be met is 100-continue.')),
  )
}

const LINGER_MS = 1_000

const answerToError = (code = 'unknown'): Answer => ({ ...(ANSWERS[code] ?? MALFORMED), cause: code })

const MALFORMED = failed(400, 'The request is no valid HTTP/1.1.')

/** Codes of Node and of llhttp, its parser. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: failed(408, 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: failed(431, 'The request line and headers are larger than 16384 bytes.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: failed(413, 'The chunk extensions of the body are too large.'),
}

const onTheWire = ({ status, headers, body }: Answer, requestId: string): string => {
  const content = JSON.stringify(body)
  const lines = Object.entries({
    ...HEADERS_EVERYWHERE,
    ...headers,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(content)),
    Connection: 'close',
  })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    content,
  ].join('\r\n')
}

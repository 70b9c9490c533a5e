import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type Answer, failed, HEADERS_EVERYWHERE } from '../operation/answer.ts'
import { requestIdOf } from '../request/request-id.ts'
import type { Connections } from './connections.ts'
import { endLingering } from './lingering-close.ts'
import { NOBODY, type Observer } from './observer.ts'

/**
 * Gives what Node's parser refuses before the application sees it the same envelope and log line.
 *
 * @returns refuses a request that Node would end the connection behind, before it comes to that
 */
export const answerWhatNodeRefuses = (
  server: Server,
  { pendingOn, endBehindComplete }: Connections,
  log: Logger,
  makeId: () => string,
  observer: Observer = NOBODY,
): ((request: IncomingMessage) => void) => {
  const refused = new WeakSet<Duplex>()

  /** One refusal ends a connection: behind it nobody can say where the next request begins. */
  const refuse = (connection: Duplex, answer: Answer, requestId: string): void => {
    if (refused.has(connection)) return
    refused.add(connection)
    endBehindComplete(connection, () => {
      if (!connection.writable) {
        endLingering(connection) // it is let go of, and its last answer may be on its way still
        return
      }
      if (pendingOn(connection).some(({ response }) => response.headersSent)) {
        connection.destroy()
        return
      }
      log.info({ request_id: requestId, status: answer.status, cause: answer.cause }, 'refused')
      observer.refused(answer.status)
      endLingering(connection, onTheWire(answer, requestId)) // a reset would take the answer from the client
    })
  }

  // A request may be answered before all of it has come; what is wrong with its rest is nobody's answer any more.
  const answeredEarly = new WeakMap<Duplex, IncomingMessage>()
  server.on('request', (request, response) => {
    response.once('close', () => {
      if (!request.complete) answeredEarly.set(request.socket, request)
    })
  })

  server.on('clientError', (error: Error & { code?: string }, connection) => {
    const early = answeredEarly.get(connection)
    if (error.code === 'ECONNRESET' || early?.complete === false) connection.destroy()
    else refuse(connection, answerToError(error.code), makeId())
  })

  server.on('connect', (request: IncomingMessage, connection) => {
    connection.on('error', () => connection.destroy()) // Node has let go of it, and what nobody listens to ends the process
    refuse(connection, NO_PROXY, requestIdOf(request, makeId))
  })

  return (request) => refuse(request.socket, MALFORMED, requestIdOf(request, makeId))
}

const NO_PROXY = failed(405, 'This service is no proxy.', { Allow: 'GET, HEAD, POST, DELETE, OPTIONS' })

const answerToError = (code = 'unknown'): Answer => ({ ...(ANSWERS[code] ?? MALFORMED), cause: code })

export const MALFORMED = failed(400, 'The request is no valid HTTP/1.1.')
export const TOO_SLOW = failed(408, 'The request took too long to arrive.')
export const HEADERS_TOO_LARGE = failed(431, 'The request line and headers are larger than 16384 bytes.')
export const EXTENSIONS_TOO_LARGE = failed(413, 'The chunk extensions of the body are too large.')

/** Codes of Node and of llhttp, its parser. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: EXTENSIONS_TOO_LARGE,
}

const onTheWire = ({ status, headers, body }: Answer, requestId: string): string => {
  const content = JSON.stringify(body)
  const lines = Object.entries({
    ...HEADERS_EVERYWHERE,
    ...headers,
    'X-Request-Id': requestId,
    Date: new Date().toUTCString(),
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

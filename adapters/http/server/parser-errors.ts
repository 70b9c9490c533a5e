import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { errorResponse, HEADERS_EVERYWHERE, type HttpResponse } from '../operation/response.ts'
import {
  ALL_METHODS,
  EXTENSIONS_TOO_LARGE,
  HEADERS_TOO_LARGE,
  MALFORMED,
  TOO_SLOW,
} from '../operation/server-errors.ts'
import { requestIdOf } from '../request/request.ts'
import type { Connections } from './connections.ts'
import { closeLingering } from './lingering-close.ts'
import { STATUS_CODES } from './node-http.ts'
import type { Observer } from './observer.ts'

/**
 * Answers requests that Node's parser refuses, with the same envelope and log line as the application.
 *
 * @returns refuses a request for which Node reports no error, and ends its connection
 */
export const answerParserErrors = ({
  server,
  connections: { pendingOn, endAfterComplete },
  log,
  makeId,
  observer,
}: Readonly<{
  server: Server
  connections: Connections
  log: Logger
  makeId: () => string
  observer: Observer
}>): ((request: IncomingMessage) => void) => {
  const refused = new WeakSet<Duplex>()

  /** Ends the connection, because the beginning of the next request is unknown. */
  const refuse = (connection: Duplex, response: HttpResponse, requestId: string): void => {
    if (refused.has(connection)) return
    refused.add(connection)
    endAfterComplete(connection, () => {
      if (!connection.writable) {
        closeLingering(connection) // an earlier response ends the connection, and may not have arrived yet
        return
      }
      if (pendingOn(connection).some(({ response: { headersSent } }) => headersSent)) {
        connection.destroy()
        return
      }
      log.info({ request_id: requestId, status: response.status, cause: response.cause }, 'refused')
      observer.refused(response.status)
      closeLingering(connection, toHttpText(response, requestId))
    })
  }

  // A request may get its response before its body is complete. Errors in the rest of the body then need no response.
  const answeredEarly = new WeakMap<Duplex, IncomingMessage>()
  server.on('request', (request, response) => {
    response.once('close', () => {
      if (!request.complete) answeredEarly.set(request.socket, request)
    })
  })

  server.on('clientError', (error: Error & { code?: string }, connection) => {
    const early = answeredEarly.get(connection)
    if (error.code === 'ECONNRESET' || early?.complete === false) connection.destroy()
    else refuse(connection, responseTo(error.code), makeId())
  })

  server.on('connect', (request: IncomingMessage, connection) => {
    connection.on('error', () => connection.destroy()) // Node has removed its listener, and an unhandled 'error' ends the process
    refuse(connection, NO_PROXY, requestIdOf(request, makeId))
  })

  return (request) => refuse(request.socket, MALFORMED, requestIdOf(request, makeId))
}

const NO_PROXY = errorResponse(405, 'This server is not a proxy.', ALL_METHODS)

const responseTo = (code = 'unknown'): HttpResponse => ({ ...(RESPONSES[code] ?? MALFORMED), cause: code })

/** By error codes of Node and of llhttp, its parser. */
const RESPONSES: Readonly<Record<string, HttpResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: EXTENSIONS_TOO_LARGE,
}

const toHttpText = ({ status, headers, body }: HttpResponse, requestId: string): string => {
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

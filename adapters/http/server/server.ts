import type { IncomingMessage, Server } from 'node:http'
import { Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { deferContinue } from '../request/body.ts'
import { type AnswerRequest, type Connections, connectionsOf } from './connections.ts'
import { lingerAfterLastResponse } from './lingering-close.ts'
import { createServer } from './node-http.ts'
import { NO_OBSERVER, type Observer } from './observer.ts'
import { answerParserErrors } from './parser-errors.ts'
import { stalledConnections } from './stalled-connections.ts'

/** How long the server waits for clients, in milliseconds (docs/wire.md §3). */
export type Timeouts = Readonly<{
  /** Until the headers of a request are complete. */
  headersTimeout: number
  /** Until the request is complete. */
  requestTimeout: number
  /** Between two requests (`HTTP_IDLE_TIMEOUT`). */
  keepAliveTimeout: number
  /** How often the server checks the first two. */
  connectionsCheckingInterval: number
  /** Without a byte in either direction. */
  timeout: number
}>

const DEFAULT_TIMEOUTS: Timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // longer than the 60 s of common proxies, so that the proxy closes first
  connectionsCheckingInterval: 1_000,
  timeout: 120_000,
}

/** The HTTP server around the application. It sets every limit explicitly (docs/wire.md §3). */
export const httpServer = ({
  answer,
  log,
  makeId,
  timeouts: given,
  observer = NO_OBSERVER,
}: Readonly<{
  answer: AnswerRequest
  log: Logger
  makeId: () => string
  timeouts?: Partial<Timeouts> | undefined
  observer?: Observer | undefined
}>): Readonly<{ server: Server; connections: Connections }> => {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...given }
  const server = createServer({
    ...timeouts,
    maxHeaderSize: 16 * 1024, // bytes
    insecureHTTPParser: false,
    requireHostHeader: false, // Node would respond without the envelope
  })
  server.timeout = timeouts.timeout
  // The application counts the header lines. With a limit, some versions of Node hide further lines but still obey them, and others
  // refuse them, and trailers, as too large.
  server.maxHeadersCount = 0
  // A client that closes only its sending side still gets its response. Node does not document this switch.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.maxConnections = 10_000 // an idle one takes about 20 kB
  // The application validates Expect; Node would respond without the envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('checkContinue', (request, response) => {
    deferContinue(request, response)
    server.emit('request', request, response)
  })
  const stalled = stalledConnections(MAX_UNREAD_BYTES, () =>
    log.info('dropped a connection that did not read its responses'),
  )
  const answerRequest: AnswerRequest = (request, response) => {
    if (request.method === PREFACE) return Promise.resolve() // refused on arrival, see below
    if (asksForUpgrade(request)) response.setHeader('Connection', 'close')
    return answer(request, response)
  }
  const connections = connectionsOf(server, answerRequest, stalled)
  server.on('connection', (connection: Duplex) => {
    observer.connected()
    connection.once('close', () => observer.disconnected())
  })
  lingerAfterLastResponse(server)
  const refuse = answerParserErrors({ server, connections, log, makeId, observer })
  server.on('request', (request) => {
    if (request.method === PREFACE) refuse(request)
  })
  return { server, connections }
}

/** Over all connections. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** The method of the HTTP/2 preface. Node parses the preface as a request and ends the connection in the same turn. */
const PREFACE = 'PRI'

/**
 * The server ignores upgrades, but Node's parser drops the bytes right after such a request. So the connection must close: otherwise
 * the middle of a request could be read as the beginning of another.
 */
const asksForUpgrade = ({ headers: { upgrade, connection = '' } }: IncomingMessage): boolean =>
  upgrade !== undefined && connection.toLowerCase().includes('upgrade')

/**
 * Stops a server without failing a request. It accepts no new connection, and closes each open one after its next response or
 * when it is idle.
 */
export const drain = async (server: Server, connections: Connections): Promise<void> => {
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  const idleChecks = setInterval(() => {
    server.closeIdleConnections()
    connections.endIdle()
  }, IDLE_MS)
  // `close` of http.Server would drop idle connections at once, and lose requests in transit.
  TcpServer.prototype.close.call(server)
  await connections.allEnded()
  clearTimeout(deadline)
  clearInterval(idleChecks)
  server.close() // ends Node's timer of connection checks
}

/** Enough time for a request in transit to arrive. */
const IDLE_MS = 250

/** The 30 s of `requestTimeout`, and 5 s for the response. */
const DRAIN_MS = 35_000

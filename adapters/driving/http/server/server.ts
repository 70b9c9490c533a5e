import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { holdBackUntilAsked } from '../request/expectation.ts'
import { type AnswerRequest, type Connections, connectionsOf } from './connections.ts'
import { lingerBehindLastAnswers } from './lingering-close.ts'
import { NOBODY, type Observer } from './observer.ts'
import { owedUpTo } from './owed.ts'
import { answerWhatNodeRefuses } from './parser-errors.ts'

/** How long clients are waited for, in milliseconds. */
export type Patience = Readonly<{
  /** Until the headers of a request have come. */
  headersTimeout: number
  /** Until all of it has come. */
  requestTimeout: number
  /** Between two requests. */
  keepAliveTimeout: number
  /** How often is looked whether one of the first two is over. */
  connectionsCheckingInterval: number
  /** Without a byte in either direction: until then a client that does not read its answers holds what they take. */
  timeout: number
}>

const PATIENCE: Patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000, // common proxies drop an idle connection after 60 s, and it is better they do
  connectionsCheckingInterval: 1_000,
  timeout: 120_000,
}

/** The HTTP server around the application, every limit set explicitly (interface §1, "connection limits"). */
export const httpServer = ({
  answer,
  log,
  makeId,
  patience = PATIENCE,
  observer = NOBODY,
}: Readonly<{
  answer: AnswerRequest
  log: Logger
  makeId: () => string
  patience?: Patience | undefined
  observer?: Observer | undefined
}>): Readonly<{ server: Server; connections: Connections }> => {
  const server = createServer({
    ...patience,
    maxHeaderSize: 16 * 1024, // bytes
    insecureHTTPParser: false,
    requireHostHeader: false, // Node would answer that outside of the envelope
  })
  server.timeout = patience.timeout
  // The application counts the header lines, where maxHeaderSize has bounded them. Some versions of Node hide those above a
  // limit of theirs and go by them all the same, others refuse them as if they were too large, and trailers with them.
  server.maxHeadersCount = 0
  // Who has ended only its own side still waits for an answer. Node has this switch without a word about it.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.maxConnections = 10_000 // an idle one costs some 20 kB
  // The application judges expectations like any other header; Node would answer outside of the envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('checkContinue', (request, response) => {
    holdBackUntilAsked(request, response)
    server.emit('request', request, response)
  })
  const owed = owedUpTo(MAX_OWED_BYTES, () => log.info('dropped a connection that did not read its answers'))
  const answerInTurn: AnswerRequest = async (request, response) => {
    if (request.method === PREFACE) return // it was refused when it came
    if (asksForUpgrade(request)) response.setHeader('Connection', 'close')
    await answer(request, response)
  }
  const connections = connectionsOf(server, answerInTurn, owed)
  server.on('connection', (connection: Duplex) => {
    observer.connected()
    connection.once('close', () => observer.disconnected())
  })
  lingerBehindLastAnswers(server)
  const refuse = answerWhatNodeRefuses(server, connections, log, makeId, observer)
  server.on('request', (request) => {
    if (request.method === PREFACE) refuse(request)
  })
  return { server, connections }
}

/** What is kept at most for clients that do not read, over all connections together. */
const MAX_OWED_BYTES = 64 * 1024 * 1024

/** HTTP/2 begins with it. Without a version Node takes it for a request, and ends the connection in the same turn. */
const PREFACE = 'PRI'

/**
 * An upgrade is never taken up, but Node's parser loses what has come right behind such a request all the same: it takes
 * it for the other protocol. The middle of a request must not be read as the beginning of another.
 */
const asksForUpgrade = ({ headers: { upgrade, connection = '' } }: IncomingMessage): boolean =>
  upgrade !== undefined && connection.toLowerCase().includes('upgrade')

/**
 * Stops a server without failing a request: it takes no new connection, answers what comes on the ones there are,
 * and lets go of them with that answer, or when nothing came for a moment.
 */
export const drain = async (server: Server, connections: Connections): Promise<void> => {
  const last = setTimeout(() => server.closeAllConnections(), LAST_MS)
  const quiet = setInterval(() => {
    server.closeIdleConnections()
    connections.endIdle()
  }, QUIET_MS)
  // http.Server's own `close` would drop idle connections at once, and with them a request that is on its way.
  TcpServer.prototype.close.call(server)
  await connections.allEnded()
  clearTimeout(last)
  clearInterval(quiet)
  server.close() // ends Node's timer of connection checks
}

/** A request on its way arrives within that; an idle connection is let go after it. */
const QUIET_MS = 250

/** No request may take longer than its 30 s, and its answer a moment. */
const LAST_MS = 35_000

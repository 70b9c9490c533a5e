import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { StalledConnections } from './stalled-connections.ts'

/** A request whose response is not complete yet. */
export type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>

/** Resolves when the whole response was written to the connection, sent or not. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The open connections of a server: sockets and others. */
export type Connections = Readonly<{
  /** The exchanges of a connection, in order. The first is in progress, the others wait. */
  pendingOn(connection: Duplex): ReadonlyArray<Exchange>
  /** Whether this is the last request received on its connection. */
  isNewest(request: IncomingMessage): boolean
  /** Accepts no more requests on a connection, drops a waiting incomplete one, and calls back after the last response. */
  endAfterComplete(connection: Duplex, then: () => void): void
  /** Ends the idle connections that `server.closeIdleConnections` overlooks. */
  endIdle(): void
  /** Resolves when no connection is open. */
  allEnded(): Promise<void>
}>

type Queue = { readonly exchanges: Array<Exchange>; waitingBytes: number; isEnding: boolean }

/**
 * Processes the requests of a connection one at a time (RFC 9112 §9.3.2), each after the previous response was sent. While requests
 * wait, it reads nothing more from the connection.
 */
export const connectionsOf = (
  server: Server,
  answer: AnswerRequest,
  stalled: StalledConnections,
): Connections => {
  const queues = new Map<Duplex, Queue>()
  const whenEnded: Array<() => void> = []

  server.on('connection', (connection: Duplex) => {
    const queue: Queue = { exchanges: [], waitingBytes: 0, isEnding: false }
    queues.set(connection, queue)
    // Node resumes a connection after each complete message.
    connection.on('resume', () => {
      if (queue.exchanges.length > 1) connection.pause()
    })
    connection.once('close', () => {
      queues.delete(connection)
      stalled.release(connection)
      if (queues.size === 0) for (const ended of whenEnded.splice(0)) ended()
    })
  })

  server.on('request', (request, response) => {
    const connection = request.socket
    const queue = queues.get(connection)
    // RFC 9112 §9.6: requests after a response that ends the connection are not processed.
    if (queue === undefined || queue.isEnding || !connection.writable) return
    const exchange = { request, response }
    queue.exchanges.push(exchange)
    response.once('close', () => finish(connection, queue, exchange))
    if (queue.exchanges.length === 1) processExchange(connection, queue, exchange)
    else enqueue(connection, queue, exchange)
  })

  const processExchange = async (
    connection: Duplex,
    queue: Queue,
    { request, response }: Exchange,
  ): Promise<void> => {
    await answer(request, response)
    const unsent = connection.writableLength
    if (unsent > 0) stalled.hold(connection, queue.waitingBytes + unsent)
  }

  const enqueue = (connection: Duplex, queue: Queue, { request }: Exchange): void => {
    connection.pause()
    queue.waitingBytes += bytesOf(request)
    if (queue.exchanges.length > MAX_PENDING) connection.destroy()
    else stalled.hold(connection, queue.waitingBytes + connection.writableLength)
  }

  const finish = (connection: Duplex, queue: Queue, exchange: Exchange): void => {
    const { exchanges } = queue
    exchanges.splice(exchanges.indexOf(exchange), 1)
    stalled.release(connection)
    const [next] = exchanges
    if (next === undefined) return
    if (!connection.writable) {
      exchanges.length = 0
      return
    }
    if (exchanges.length === 1) {
      queue.waitingBytes = 0
      connection.resume()
    } else {
      queue.waitingBytes -= bytesOf(next.request)
      stalled.hold(connection, queue.waitingBytes)
    }
    processExchange(connection, queue, next)
  }

  return {
    pendingOn: (connection) => queues.get(connection)?.exchanges ?? [],
    isNewest: (request) => queues.get(request.socket)?.exchanges.at(-1)?.request === request,
    endAfterComplete: (connection, then) => {
      const queue = queues.get(connection)
      if (queue === undefined) return then()
      queue.isEnding = true
      const { exchanges } = queue
      if (exchanges.length > 1 && exchanges.at(-1)?.request.complete === false) exchanges.pop()
      const last = exchanges.at(-1)
      if (last?.request.complete) last.response.once('close', then)
      else then()
    },
    endIdle: () => {
      for (const [connection, { exchanges }] of queues) {
        if (exchanges.length === 0 && isOverlooked(connection)) connection.destroy()
      }
    },
    allEnded: () =>
      new Promise((resolve) => {
        if (queues.size === 0) resolve()
        else whenEnded.push(resolve)
      }),
  }
}

/** A connection with more pending requests is dropped: Node reads 64 KiB at once, which can be thousands of requests. */
const MAX_PENDING = 32

/** Estimates the memory of a waiting request. Node buffers no more of its body than it reads at once. */
const bytesOf = ({ rawHeaders, headers }: IncomingMessage): number => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  const body = coding === undefined ? Math.min(Number(length ?? 0), READ_BYTES) : READ_BYTES
  return rawHeaders.reduce((sum, text) => sum + STRING_BYTES + text.length, EXCHANGE_BYTES + body)
}

const READ_BYTES = 64 * 1024
const EXCHANGE_BYTES = 4 * 1024
const STRING_BYTES = 32

/** `server.closeIdleConnections` knows only sockets on which data has arrived. */
const isOverlooked = (connection: Duplex): boolean =>
  !(connection instanceof Socket) || connection.bytesRead === 0

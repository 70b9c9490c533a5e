import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Owed } from './owed.ts'

/** A request that is not completely answered yet. */
export type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>

/** Resolves when the whole answer was given to the connection, sent or not. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The open connections of a server, sockets or not. */
export type Connections = Readonly<{
  /** The exchanges of a connection, in order. The first is carried out, the others wait. */
  pendingOn(connection: Duplex): ReadonlyArray<Exchange>
  /** Whether no other request has come behind this one on its connection. */
  isNewest(request: IncomingMessage): boolean
  /**
   * Takes no further request on a connection, drops an incomplete one that waits, and calls back once the complete ones are
   * answered.
   */
  endBehindComplete(connection: Duplex, then: () => void): void
  /** Ends the idle connections that the server itself does not count as such. */
  endIdle(): void
  /** Resolves once there is no connection. */
  allEnded(): Promise<void>
}>

type Line = { readonly exchanges: Array<Exchange>; waitingBytes: number; isEnding: boolean }

/**
 * Carries out the requests of a connection one at a time (RFC 9112 §9.3.2), the next one when the answer before it was sent. While
 * requests wait nothing more is read from the connection.
 */
export const connectionsOf = (server: Server, answer: AnswerRequest, owed: Owed): Connections => {
  const lines = new Map<Duplex, Line>()
  const whenEnded: Array<() => void> = []

  server.on('connection', (connection: Duplex) => {
    const line: Line = { exchanges: [], waitingBytes: 0, isEnding: false }
    lines.set(connection, line)
    // Node resumes a connection behind each message that has come whole.
    connection.on('resume', () => {
      if (line.exchanges.length > 1) connection.pause()
    })
    connection.once('close', () => {
      lines.delete(connection)
      owed.settle(connection)
      if (lines.size === 0) for (const ended of whenEnded.splice(0)) ended()
    })
  })

  server.on('request', (request, response) => {
    const connection = request.socket
    const line = lines.get(connection)
    // RFC 9112 §9.6: requests behind an answer that ends the connection are not carried out.
    if (line === undefined || line.isEnding || !connection.writable) return
    const exchange = { request, response }
    line.exchanges.push(exchange)
    response.once('close', () => over(connection, line, exchange))
    if (line.exchanges.length === 1) carryOut(connection, line, exchange)
    else wait(connection, line, exchange)
  })

  const carryOut = async (connection: Duplex, line: Line, { request, response }: Exchange): Promise<void> => {
    await answer(request, response)
    const unsent = connection.writableLength
    if (unsent > 0) owed.set(connection, line.waitingBytes + unsent)
  }

  const wait = (connection: Duplex, line: Line, { request }: Exchange): void => {
    connection.pause()
    line.waitingBytes += bytesOf(request)
    if (line.exchanges.length > MAX_PENDING) connection.destroy()
    else owed.set(connection, line.waitingBytes + connection.writableLength)
  }

  const over = (connection: Duplex, line: Line, exchange: Exchange): void => {
    const { exchanges } = line
    exchanges.splice(exchanges.indexOf(exchange), 1)
    owed.settle(connection)
    const [next] = exchanges
    if (next === undefined) return
    if (!connection.writable) {
      exchanges.length = 0
      return
    }
    if (exchanges.length === 1) {
      line.waitingBytes = 0
      connection.resume()
    } else {
      line.waitingBytes -= bytesOf(next.request)
      owed.set(connection, line.waitingBytes)
    }
    carryOut(connection, line, next)
  }

  return {
    pendingOn: (connection) => lines.get(connection)?.exchanges ?? [],
    isNewest: (request) => lines.get(request.socket)?.exchanges.at(-1)?.request === request,
    endBehindComplete: (connection, then) => {
      const line = lines.get(connection)
      if (line === undefined) return then()
      line.isEnding = true
      const { exchanges } = line
      if (exchanges.length > 1 && exchanges.at(-1)?.request.complete === false) exchanges.pop()
      const last = exchanges.at(-1)
      if (last?.request.complete) last.response.once('close', then)
      else then()
    },
    endIdle: () => {
      for (const [connection, { exchanges }] of lines) {
        if (exchanges.length === 0 && isOverlooked(connection)) connection.destroy()
      }
    },
    allEnded: () =>
      new Promise((resolve) => {
        if (lines.size === 0) resolve()
        else whenEnded.push(resolve)
      }),
  }
}

/** A connection on which more requests wait is dropped: Node reads 64 KiB at once, which may be thousands of requests. */
const MAX_PENDING = 32

/** What a request takes that waits, about. What Node reads at once bounds its body. */
const bytesOf = ({ rawHeaders, headers }: IncomingMessage): number => {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  const body = coding === undefined ? Math.min(Number(length ?? 0), READ_BYTES) : READ_BYTES
  return rawHeaders.reduce((sum, text) => sum + STRING_BYTES + text.length, EXCHANGE_BYTES + body)
}

const READ_BYTES = 64 * 1024
const EXCHANGE_BYTES = 4 * 1024
const STRING_BYTES = 32

/** The server knows of sockets on which something came once, and whether a request has begun on them. */
const isOverlooked = (connection: Duplex): boolean =>
  !(connection instanceof Socket) || connection.bytesRead === 0

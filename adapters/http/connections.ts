import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A request that is not completely answered yet. */
export type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>

/** What goes on on the connections of a server, whether they are sockets or not. */
export type Connections = Readonly<{
  /** The exchanges that are not over on a connection, in the order in which they will be answered. */
  pendingOn(connection: Duplex): ReadonlyArray<Exchange>
  /** Whether no other request that is carried out has come behind this one on its connection. */
  isNewest(request: IncomingMessage): boolean
  /** Ends the connections that are idle, but that the server itself does not count as such. */
  endIdle(): void
  /** Resolves once there is no connection. */
  allEnded(): Promise<void>
}>

/** @param answer is asked to answer every request, but those behind an answer that ends the connection */
export const connectionsOf = (server: Server, answer: RequestListener): Connections => {
  const pending = new Map<Duplex, Array<Exchange>>()
  const newest = new WeakMap<Duplex, Exchange>()
  const whenEnded: Array<() => void> = []

  server.on('connection', (connection: Duplex) => {
    pending.set(connection, [])
    connection.once('close', () => {
      pending.delete(connection)
      if (pending.size === 0) for (const ended of whenEnded.splice(0)) ended()
    })
  })

  server.on('request', (request, response) => {
    const exchange = { request, response }
    const connection = request.socket
    const exchanges = pending.get(connection)
    exchanges?.push(exchange)
    response.once('close', () => {
      exchanges?.splice(exchanges.indexOf(exchange), 1)
      if (newest.get(connection) === exchange) newest.delete(connection)
    })
    if ((exchanges?.length ?? 0) > MAX_PENDING) connection.destroy()
    if (isEnding(connection)) return // RFC 9112 §9.6: nobody would be told what came of it
    newest.set(connection, exchange)
    answer(request, response)
  })

  const isEnding = (connection: Duplex): boolean =>
    !connection.writable || newest.get(connection)?.response.getHeader('Connection') === 'close'

  return {
    pendingOn: (connection) => pending.get(connection) ?? [],
    isNewest: (request) => newest.get(request.socket)?.request === request,
    endIdle: () => {
      for (const [connection, exchanges] of pending) {
        if (exchanges.length === 0 && isOverlooked(connection)) connection.destroy()
      }
    },
    allEnded: () =>
      new Promise((resolve) => {
        if (pending.size === 0) resolve()
        else whenEnded.push(resolve)
      }),
  }
}

/**
 * Whoever sends more than that before reading an answer is let go of: each request that waits costs some 12 kB, and all that
 * Node reads at once, 64 KiB, would be carried out at once.
 */
const MAX_PENDING = 32

/** The server knows of sockets on which something came once, and whether a request has begun on them. */
const isOverlooked = (connection: Duplex): boolean =>
  !(connection instanceof Socket) || connection.bytesRead === 0

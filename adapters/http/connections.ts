import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A request that is not completely answered yet. */
export type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>

/** What goes on on the connections of a server, whether they are sockets or not. */
export type Connections = Readonly<{
  /** The exchanges that are not over on a connection, in the order in which they will be answered. */
  pendingOn(connection: Duplex): ReadonlyArray<Exchange>
  /** Ends the connections that are idle, but that the server itself does not count as such. */
  endIdle(): void
  /** Resolves once there is no connection. */
  allEnded(): Promise<void>
}>

export const connectionsOf = (server: Server): Connections => {
  const pending = new Map<Duplex, Array<Exchange>>()
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
    const exchanges = pending.get(request.socket)
    exchanges?.push(exchange)
    response.once('close', () => exchanges?.splice(exchanges.indexOf(exchange), 1))
  })

  return {
    pendingOn: (connection) => pending.get(connection) ?? [],
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

/** The server knows of sockets on which something came once, and whether a request has begun on them. */
const isOverlooked = (connection: Duplex): boolean =>
  !(connection instanceof Socket) || connection.bytesRead === 0

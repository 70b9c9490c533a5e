import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Node closes a connection right behind its last answer. Where something still comes then, the rest of the request or others
 * behind it, that resets the connection, and a reset may take the answer from the client (RFC 9112 §9.6). So what the
 * client still sends is read and dropped for a while, and only the service's own side ends at once.
 */
export const lingerBehindLastAnswers = (server: Server): void => {
  server.on('connection', (connection: Duplex) => {
    if (!(connection instanceof Socket)) return // what is no socket cannot be reset
    const atOnce = connection.destroySoon
    connection.destroySoon = () => {
      if (connection.readableEnded) atOnce.call(connection)
      else endLingering(connection)
    }
  })
}

/** Ends our side, after `last` where something is still to be said, and reads and drops what comes for a while. */
export const endLingering = (connection: Duplex, last?: string): void => {
  connection.end(last)
  connection.resume()
  setTimeout(() => connection.destroy(), LINGER_MS).unref()
}

const LINGER_MS = 1_000
